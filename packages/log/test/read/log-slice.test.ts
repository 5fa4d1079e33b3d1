import { describe, expect, it } from 'vitest';
import { LogStorageError } from '../../src/errors.ts';
import type { LogSlice, PartitionLog, ReadLimit } from '../../src/index.ts';
import { testBatch } from '../support/batches.ts';
import { type OpenLogs, openLog, settled } from '../support/open-logs.ts';
import { SimulatedFileSystem, systemError } from '../support/simulated-file-system.ts';

const size = testBatch().length;

function sliceAt(log: PartitionLog, offset: number, limit: ReadLimit = 'log-end'): LogSlice {
  const result = log.read(offset, { maxBytes: 1e6, minOneBatch: true, limit });
  if (result.kind !== 'slice') throw new Error(result.kind);
  return result.slice;
}

/** A log of three batches that were appended before this process began: none of it is hot. */
async function coldLog(fileSystem: SimulatedFileSystem): Promise<OpenLogs> {
  const first = await openLog({ directory: '/logs', fileSystem });
  for (let i = 0; i < 3; i += 1) first.log.append(testBatch({ tag: i }), { leaderEpoch: 1 });
  await settled(first.manager.close(), first.clock);
  return openLog({ directory: '/logs', fileSystem });
}

describe('a slice of a log', () => {
  it('is hot when it was just appended, and after another reader read it from the disk', async () => {
    const { log, clock, manager } = await coldLog(new SimulatedFileSystem());
    const cold = sliceAt(log, 0);
    expect(cold.isHot).toBe(false);
    const target = Buffer.alloc(cold.sizeInBytes);
    expect(await settled(cold.readIntoAsync(target), clock)).toBe(size * 3);
    expect(cold.nextOffset).toBe(3);
    cold.release();
    const again = sliceAt(log, 0);
    expect(again.isHot).toBe(true);
    expect(again.readInto(Buffer.alloc(again.sizeInBytes))).toBe(size * 3);
    again.release();
    clock.advance(10_001);
    const late = sliceAt(log, 0);
    expect(late.isHot).toBe(false);
    late.release();
    log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    const tail = sliceAt(log, 3);
    expect([tail.isHot, tail.sizeInBytes, tail.nextOffset]).toEqual([true, size, 4]);
    tail.release();
    await settled(manager.close(), clock);
  });

  it('that is hot costs one read of the file, wherever its bound falls, and gives all batches that fit', async () => {
    const fileSystem = new SimulatedFileSystem();
    const store = { directory: '/logs', fileSystem };
    const { log, clock, manager } = await openLog(store, { indexIntervalBytes: size * 2 });
    const bytes = Buffer.concat(
      Array.from({ length: 40 }, (_, tag) => {
        const batch = testBatch({ tag });
        log.append(batch, { leaderEpoch: 1 });
        return batch;
      }),
    );
    log.flushTurn();
    const reads = (): number => fileSystem.calls.get('read') ?? 0;
    for (let maxBytes = size * 4; maxBytes < size * 8; maxBytes += 1) {
      // The first read of an offset may look for its batch; the next one begins where it ended.
      for (const offset of [0, Math.floor(maxBytes / size)]) {
        const before = reads();
        const result = log.read(offset, { maxBytes, minOneBatch: true, limit: 'log-end' });
        if (result.kind !== 'slice') throw new Error(result.kind);
        const { slice } = result;
        const target = Buffer.alloc(maxBytes + 100, 0xee);
        const read = slice.readInto(target);
        slice.release();
        expect(slice.isHot).toBe(true);
        expect(reads() - before).toBe(1);
        expect(read).toBe(Math.floor(maxBytes / size) * size);
        expect(slice.nextOffset).toBe(offset + read / size);
        const expected = bytes.subarray(offset * size, offset * size + read);
        expect(target.subarray(0, read).equals(expected)).toBe(true);
      }
    }
    await settled(manager.close(), clock);
  });

  it('of the log end shows what consumers do not see before its sync', async () => {
    const store = { directory: '/logs', fileSystem: new SimulatedFileSystem() };
    const { log, clock, manager } = await openLog(store, { flushMessages: 1 });
    const { written } = log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    const before = [sliceAt(log, 0, 'log-end'), sliceAt(log, 0, 'high-watermark')];
    expect(before.map((slice) => slice.sizeInBytes)).toEqual([size, 0]);
    await settled(written, clock);
    const after = sliceAt(log, 0, 'high-watermark');
    expect(after.sizeInBytes).toBe(size);
    for (const slice of [...before, after]) slice.release();
    await settled(manager.close(), clock);
  });

  it('refuses a buffer that is too small, and to be read after its release', async () => {
    const { log, clock, manager } = await openLog({ memoryBytes: 1e6 });
    log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    const slice = sliceAt(log, 0);
    expect(() => slice.readInto(Buffer.alloc(size - 1))).toThrow(RangeError);
    slice.release();
    slice.release();
    expect(() => slice.readInto(Buffer.alloc(size))).toThrow(RangeError);
    await settled(manager.close(), clock);
  });

  it('stops for a signal, and says what the file system refused', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await coldLog(fs);
    const slice = sliceAt(log, 0);
    const target = Buffer.alloc(slice.sizeInBytes);
    const reason = new Error('enough');
    const aborted = slice.readIntoAsync(target, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    fs.faults.fail = (call) => (call === 'readAsync' ? systemError('EIO') : undefined);
    await expect(settled(slice.readIntoAsync(target), clock)).rejects.toThrow(LogStorageError);
    fs.faults.fail = () => undefined;
    slice.release();
    await settled(manager.close(), clock);
  });

  it('can be read from a removed segment whose file was closed', async () => {
    const fileSystem = new SimulatedFileSystem();
    const config = { segmentBytes: size, retentionBytes: size };
    const first = await openLog({ directory: '/logs', fileSystem }, config);
    for (let i = 0; i < 3; i += 1) first.log.append(testBatch({ tag: i }), { leaderEpoch: 1 });
    await settled(first.manager.close(), first.clock);
    const { log, clock, manager } = await openLog({ directory: '/logs', fileSystem }, config);
    const held = sliceAt(log, 0);
    expect(log.applyRetention()).toBe(2);
    await clock.advanceAsync(60_000);
    const target = Buffer.alloc(held.sizeInBytes);
    expect(await settled(held.readIntoAsync(target), clock)).toBe(size);
    held.release();
    await clock.advanceAsync(0);
    expect(fileSystem.paths.filter((path) => path.endsWith('.deleted'))).toEqual([]);
    await settled(manager.close(), clock);
  });
});
