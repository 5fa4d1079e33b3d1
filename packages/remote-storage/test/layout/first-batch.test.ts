import { seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { memorySource } from '../../src/index.ts';
import { isFirstBatchCompressed } from '../../src/layout/first-batch.ts';

interface Batch {
  readonly magic: number;
  readonly codec: number;
  readonly bodyBytes?: number;
  readonly logBytes?: number;
}

function logOf({ magic, codec, bodyBytes = 100, logBytes = 112 }: Batch): Buffer {
  const log = Buffer.from(seededRandom(1).fill(new Uint8Array(logBytes)));
  log.writeInt32BE(bodyBytes, 8);
  log.writeInt8(magic, 16);
  // The bits beside the codec mean other things: timestamp type, transactional, control.
  if (magic === 2) log.writeInt16BE(0x38 | codec, 21);
  else log.writeInt8(0x08 | codec, 17);
  return log;
}

test.each([
  ['none', 0, false],
  ['gzip', 1, true],
  ['snappy', 2, true],
  ['lz4', 3, true],
  ['zstd', 4, true],
])('a first batch of codec %s is known, in any version', async (_, codec, expected) => {
  for (const magic of [0, 1, 2]) {
    const log = memorySource(logOf({ magic, codec }));
    expect(await isFirstBatchCompressed(log)).toBe(expected);
  }
});

test.each<[string, Batch]>([
  ['of a version to come', { magic: 3, codec: 0 }],
  ['of a negative version', { magic: -1, codec: 0 }],
  ['of an unknown codec', { magic: 2, codec: 5 }],
  ['longer than the log', { magic: 2, codec: 0, bodyBytes: 101 }],
  ['shorter than its header', { magic: 2, codec: 0, bodyBytes: 48 }],
  ['of negative length', { magic: 2, codec: 0, bodyBytes: -1 }],
])('a first batch %s cannot be told', async (_, batch) => {
  expect(await isFirstBatchCompressed(memorySource(logOf(batch)))).toBeUndefined();
});

test('a log too short for a batch cannot be told', async () => {
  for (const length of [0, 1, 22]) {
    const log = memorySource(logOf({ magic: 2, codec: 0 }).subarray(0, length));
    expect(await isFirstBatchCompressed(log)).toBeUndefined();
  }
});

test('a log that cannot be read is a failure, not an answer', async () => {
  const log = memorySource(logOf({ magic: 2, codec: 0 }));
  const reason = new Error('no longer the leader');
  const signal = AbortSignal.abort(reason);
  await expect(isFirstBatchCompressed(log, signal)).rejects.toBe(reason);
});
