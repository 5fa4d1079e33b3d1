import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MicroLog } from '../../src/peers/micro-log.ts';

function openLog(): MicroLog {
  const directory = mkdtempSync(join(tmpdir(), 'micro-log-'));
  const log = new MicroLog(directory, '0');
  onTestFinished(() => {
    log.close();
    rmSync(directory, { recursive: true });
  });
  return log;
}

test('a read gives whole batches from the one that holds the offset, within its limit', () => {
  const log = openLog();
  for (const fill of [1, 2, 3, 4]) log.append(Buffer.alloc(100, fill), 0, 100, 10);
  const target = Buffer.alloc(1000);
  expect(log.nextOffset).toBe(40);
  expect(log.read(0, 100, target, 0)).toBe(100);
  expect(target[0]).toBe(1);
  expect(log.read(15, 250, target, 0)).toBe(200);
  expect([target[0], target[199]]).toEqual([2, 3]);
  expect(log.read(30, 1000, target, 0)).toBe(100);
  expect(target[0]).toBe(4);
});

test('a cleared log begins anew', () => {
  const log = openLog();
  log.append(Buffer.alloc(100, 1), 0, 100, 10);
  log.clear();
  log.append(Buffer.alloc(50, 9), 0, 50, 5);
  const target = Buffer.alloc(100);
  expect(log.read(0, 100, target, 0)).toBe(50);
  expect(target[0]).toBe(9);
});
