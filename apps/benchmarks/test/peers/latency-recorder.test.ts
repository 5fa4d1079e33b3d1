import { expect, test } from 'vitest';
import { LatencyRecorder } from '../../src/peers/latency-recorder.ts';

test('latencies are ordered before quantiles are taken', () => {
  const recorder = new LatencyRecorder(1000);
  for (let i = 1000; i > 0; i -= 1) recorder.add(i);
  expect(recorder.count).toBe(1000);
  expect(recorder.latency()).toEqual({ p50: 500, p99: 990, p999: 999, max: 1000 });
});

test('more than was announced does no harm', () => {
  const recorder = new LatencyRecorder(2);
  for (const ms of [1, 2, 3]) recorder.add(ms);
  expect(recorder.count).toBe(2);
  expect(recorder.latency().max).toBe(2);
});
