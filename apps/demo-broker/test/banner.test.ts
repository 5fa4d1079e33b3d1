import { expect, it } from 'vitest';
import { banner } from '../src/banner.ts';
import type { ReadyReport } from '../src/ready-report.ts';

const REPORT: ReadyReport = {
  kafka: '127.0.0.1:9092',
  http: 'http://127.0.0.1:9464',
  nodeId: 0,
  clusterId: 'abc',
  directory: '/data/log',
  temporary: false,
  remoteStorage: 'local',
  readyMs: 123,
  pid: 42,
  version: '1.2.3',
};

it('says what runs where, in how many ms', () => {
  const text = banner(REPORT);
  expect(text).toContain('logloft 1.2.3 is ready in 123 ms (pid 42)');
  for (const part of ['127.0.0.1:9092', 'http://127.0.0.1:9464', '/data/log', 'local', 'abc']) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('removed');
});

it('says when data will not last, and how it would', () => {
  expect(banner({ ...REPORT, temporary: true })).toContain(
    'removed at the end; --data DIR keeps it',
  );
  expect(banner({ ...REPORT, directory: null })).toContain('in memory, gone at the end');
});

it('says what is off', () => {
  expect(banner({ ...REPORT, http: null })).toMatch(/HTTP +off/);
  expect(banner({ ...REPORT, remoteStorage: null })).toMatch(/Remote +none/);
});
