import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBatchHeader, readBatchHeader, validateBatch } from '@logloft/records';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BatchTooLargeError,
  LogClosedError,
  type LogConfigInput,
  LogOffsetOutOfRangeError,
  type LogStore,
  type PartitionLog,
} from '../src/index.ts';
import { type TestBatch, testBatch, testMarker } from './support/batches.ts';
import { type OpenLogs, openLog, readAll, settled } from './support/open-logs.ts';

const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

const stores: Record<string, () => LogStore> = {
  disk: () => {
    const directory = mkdtempSync(join(tmpdir(), 'logloft-log-'));
    directories.push(directory);
    return { directory };
  },
  memory: () => ({ memoryBytes: 4 * 2 ** 20 }),
};

function append(log: PartitionLog, batch: TestBatch = {}): number {
  return log.append(testBatch(batch), { leaderEpoch: 5 }).baseOffset;
}

function read(log: PartitionLog, offset: number, maxBytes: number, minOneBatch = true): number[] {
  const result = log.read(offset, { maxBytes, minOneBatch, limit: 'high-watermark' });
  if (result.kind !== 'slice') throw new Error(result.kind);
  const target = Buffer.alloc(result.slice.sizeInBytes);
  const bytes = result.slice.readInto(target);
  result.slice.release();
  const header = createBatchHeader();
  const bases: number[] = [];
  for (let at = 0; at < bytes; at += header.sizeInBytes) {
    validateBatch(target, at, bytes, header, { origin: 'log' });
    bases.push(header.baseOffset);
  }
  return bases;
}

describe.each(Object.keys(stores))('a partition log on %s', (name) => {
  const open = (config: LogConfigInput = {}): Promise<OpenLogs> => {
    const store = stores[name];
    if (store === undefined) throw new Error(name);
    return openLog(store(), config);
  };

  it('shows the batches of a turn at its end, all at once, and calls its listeners once', async () => {
    const { log, clock, manager } = await open();
    const changes: string[] = [];
    log.subscribe((change) => changes.push(`${change} ${log.highWatermark}`));
    const first = log.append(testBatch({ count: 3 }), { leaderEpoch: 5 });
    const second = log.append(testBatch({ count: 2 }), { leaderEpoch: 5 });
    expect([first.baseOffset, first.lastOffset, second.baseOffset]).toEqual([0, 2, 3]);
    expect(second.written).toBe(first.written);
    expect([log.logEndOffset, log.highWatermark]).toEqual([0, 0]);
    await settled(first.written, clock);
    expect([log.logEndOffset, log.highWatermark, log.lastStableOffset]).toEqual([5, 5, 5]);
    expect(changes).toEqual(['append 5']);
    expect(manager.statistics.writes).toBe(1);
    await settled(manager.close(), clock);
  });

  it('writes offset and leader epoch into the batch, and leaves its checksum right', async () => {
    const { log, manager, clock } = await open();
    append(log);
    const batch = testBatch({ count: 2 });
    log.append(batch, { leaderEpoch: 5 });
    const header = createBatchHeader();
    validateBatch(batch, 0, batch.length, header, { origin: 'log' });
    expect([header.baseOffset, header.partitionLeaderEpoch]).toEqual([1, 5]);
    await settled(manager.close(), clock);
  });

  it('gives the time of the broker where the topic asks for it', async () => {
    const { log, manager, clock } = await open({ messageTimestampType: 'LogAppendTime' });
    const batch = testBatch({ timestamp: 5 });
    expect(log.append(batch, { leaderEpoch: 5 }).logAppendTimeMs).toBe(clock.now());
    log.flushTurn();
    const header = createBatchHeader();
    readBatchHeader(batch, 0, header);
    expect(header.maxTimestamp).toBe(clock.now());
    expect(await log.offsetForTimestamp(clock.now())).toMatchObject({ offset: 0 });
    await settled(manager.close(), clock);
  });

  it('reads whole batches from the one that holds the offset on', async () => {
    const { log, manager, clock } = await open({ indexIntervalBytes: 0 });
    for (let i = 0; i < 5; i += 1) append(log, { count: 3 });
    log.flushTurn();
    const size = testBatch({ count: 3 }).length;
    expect(read(log, 4, 1e6)).toEqual([3, 6, 9, 12]);
    expect(read(log, 4, size * 2)).toEqual([3, 6]);
    expect(read(log, 4, size * 2 - 1)).toEqual([3]);
    expect(read(log, 4, 1)).toEqual([3]);
    expect(read(log, 4, 1, false)).toEqual([]);
    expect(read(log, 15, 1e6)).toEqual([]);
    await settled(manager.close(), clock);
  });

  it('answers offsets that it does not have with its bounds', async () => {
    const { log, manager, clock } = await open({ segmentBytes: 100 });
    for (let i = 0; i < 5; i += 1) append(log);
    log.flushTurn();
    log.deleteRecordsBefore(2);
    const options = { maxBytes: 100, minOneBatch: true, limit: 'high-watermark' } as const;
    const bounds = { kind: 'out-of-range', logStartOffset: 2, logEndOffset: 5 };
    expect(log.read(1, options)).toEqual(bounds);
    expect(log.read(6, options)).toEqual(bounds);
    expect(() => log.deleteRecordsBefore(6)).toThrow(LogOffsetOutOfRangeError);
    await settled(manager.close(), clock);
  });

  it('rolls by bytes and by the time of records', async () => {
    const { log, manager, clock } = await open({ segmentBytes: 300, segmentMs: 1000 });
    const size = testBatch().length;
    for (let i = 0; i < Math.floor(300 / size) + 1; i += 1) append(log);
    log.flushTurn();
    expect(log.segmentCount).toBe(2);
    append(log, { timestamp: 1_700_000_001_000 });
    expect(log.segmentCount).toBe(2);
    append(log, { timestamp: 1_700_000_001_001 });
    expect(log.segmentCount).toBe(3);
    await settled(manager.close(), clock);
  });

  it('rolls when an index is full, and refuses batches larger than a segment', async () => {
    const { log, manager, clock } = await open({
      segmentIndexBytes: 24,
      indexIntervalBytes: 0,
      segmentBytes: 1000,
    });
    for (let i = 0; i < 5; i += 1) append(log, { timestamp: 1_700_000_000_000 + i });
    log.flushTurn();
    expect(log.segmentCount).toBeGreaterThan(1);
    expect(() => append(log, { valueBytes: 1000 })).toThrow(BatchTooLargeError);
    await settled(manager.close(), clock);
  });

  it('answers a repeated batch with its first offset, before and after it is written', async () => {
    const { log, manager, clock } = await open();
    const batch = { producerId: 7, producerEpoch: 0, baseSequence: 0, count: 2 };
    const first = log.append(testBatch(batch), { leaderEpoch: 5 });
    const again = log.append(testBatch(batch), { leaderEpoch: 5 });
    expect(again).toMatchObject({ baseOffset: 0, lastOffset: 1, duplicate: true });
    expect(again.written).toBe(first.written);
    log.flushTurn();
    const late = log.append(testBatch(batch), { leaderEpoch: 5 });
    expect(late).toMatchObject({ baseOffset: 0, duplicate: true });
    await late.written;
    expect(log.logEndOffset).toBe(2);
    await settled(manager.close(), clock);
  });

  it('keeps transactions from committed readers until they end, and lists the aborted ones', async () => {
    const { log, manager, clock } = await open();
    append(log);
    const producer = { producerId: 7, producerEpoch: 0, isTransactional: true };
    append(log, { ...producer, baseSequence: 0 });
    log.flushTurn();
    expect([log.lastStableOffset, log.highWatermark]).toEqual([1, 2]);
    const stable = log.read(0, { maxBytes: 1e6, minOneBatch: true, limit: 'last-stable' });
    expect(stable.kind === 'slice' && stable.slice.sizeInBytes).toBe(testBatch().length);
    log.append(testMarker('abort'), { leaderEpoch: 5 });
    log.flushTurn();
    expect(log.lastStableOffset).toBe(3);
    expect(log.abortedTransactions(0, 3)).toMatchObject([{ firstOffset: 1, lastOffset: 2 }]);
    if (stable.kind === 'slice') stable.slice.release();
    await settled(manager.close(), clock);
  });

  it('finds the first record at or after a time, not the one before it', async () => {
    const { log, manager, clock } = await open({ segmentBytes: 200 });
    for (const timestamp of [2, 4, 6, 8]) append(log, { timestamp });
    log.flushTurn();
    const found: (number | undefined)[] = [];
    for (let t = 1; t <= 9; t += 1) found.push((await log.offsetForTimestamp(t))?.offset);
    expect(found).toEqual([0, 0, 1, 1, 2, 2, 3, 3, undefined]);
    expect(await log.maxTimestampOffset()).toEqual({ offset: 3, timestamp: 8, leaderEpoch: 5 });
    await settled(manager.close(), clock);
  });

  it('removes old segments, moves its start before, and lets readers finish', async () => {
    const { log, manager, clock } = await open({
      segmentBytes: 200,
      retentionBytes: 300,
      fileDeleteDelayMs: 0,
    });
    for (let i = 0; i < 10; i += 1) append(log, { tag: i });
    log.flushTurn();
    const held = log.read(0, { maxBytes: 1e6, minOneBatch: true, limit: 'log-end' });
    if (held.kind !== 'slice') throw new Error(held.kind);
    expect(log.applyRetention()).toBeGreaterThan(0);
    expect(log.logStartOffset).toBe(log.localLogStartOffset);
    expect(log.logStartOffset).toBe(log.firstSegmentOffset);
    await clock.advanceAsync(10);
    const target = Buffer.alloc(held.slice.sizeInBytes);
    expect(await held.slice.readIntoAsync(target)).toBe(held.slice.sizeInBytes);
    held.slice.release();
    await settled(manager.close(), clock);
  });

  it('of a log that left the remote tier, and came back, waits for new copies', async () => {
    const { log, manager, clock } = await open({
      segmentBytes: 200,
      remoteStorageEnable: true,
      localRetentionMs: 0,
      fileDeleteDelayMs: 0,
    });
    for (let i = 0; i < 10; i += 1) append(log);
    await settled(log.flush(), clock);
    clock.advance(10);
    log.updateHighestOffsetInRemoteStorage(5);
    log.updateConfig({ remoteStorageEnable: false });
    expect(log.highestOffsetInRemoteStorage).toBe(-1);
    // A copy that was under way ends now, and its objects are about to go.
    log.updateHighestOffsetInRemoteStorage(7);
    log.updateConfig({ remoteStorageEnable: true });
    expect([log.highestOffsetInRemoteStorage, log.applyRetention()]).toEqual([-1, 0]);
    const first = log.rolledSegments()[0];
    log.updateHighestOffsetInRemoteStorage((first?.nextOffset ?? 0) - 1);
    expect(log.applyRetention()).toBe(1);
    await settled(manager.close(), clock);
  });

  it('of a tiered log removes only what is remote, and sends readers of it there', async () => {
    const { log, manager, clock } = await open({
      segmentBytes: 200,
      remoteStorageEnable: true,
      localRetentionMs: 0,
      fileDeleteDelayMs: 0,
    });
    for (let i = 0; i < 10; i += 1) append(log);
    log.flushTurn();
    clock.advance(10);
    expect(log.applyRetention()).toBe(0);
    const second = log.rolledSegments()[1];
    log.updateHighestOffsetInRemoteStorage((second?.nextOffset ?? 0) - 1);
    log.updateHighestOffsetInRemoteStorage(0);
    // Their epochs are stored before they go.
    expect(log.applyRetention()).toBe(0);
    await settled(log.flush(), clock);
    expect(log.applyRetention()).toBe(2);
    expect([log.logStartOffset, log.localLogStartOffset]).toEqual([0, second?.nextOffset]);
    const below = log.read(0, { maxBytes: 1, minOneBatch: true, limit: 'log-end' });
    expect(below).toEqual({ kind: 'below-local', localLogStartOffset: second?.nextOffset });
    await settled(manager.close(), clock);
  });

  it('gives all parts of a rolled segment to whoever copies it', async () => {
    const { log, manager, clock } = await open({ segmentBytes: 250, indexIntervalBytes: 0 });
    for (let i = 0; i < 8; i += 1) {
      append(log, { producerId: 7, producerEpoch: 0, baseSequence: i, timestamp: 1000 + i });
    }
    log.flushTurn();
    const expected = await readAll(log, 0);
    const parts: Buffer[] = [];
    for (const segment of log.rolledSegments()) {
      const { data, release } = await settled(segment.lease(), clock);
      for await (const piece of data.log.read({ start: 0 })) parts.push(Buffer.from(piece));
      expect(data.log.path === undefined).toBe(name === 'memory');
      expect(data.offsetIndex.size % 8).toBe(0);
      expect(data.timeIndex.size).toBeGreaterThan(0);
      expect(data.producerSnapshot.size).toBe(56);
      expect(Buffer.from(data.leaderEpochIndex).toString()).toBe('0\n1\n5 0\n');
      expect(segment.leaderEpochs).toEqual([{ epoch: 5, startOffset: segment.baseOffset }]);
      release();
      release();
    }
    const rolled = Buffer.concat(parts);
    expect(rolled.equals(expected.subarray(0, rolled.length))).toBe(true);
    expect(expected.length - rolled.length).toBe(log.activeSegmentBytes);
    await settled(manager.close(), clock);
  });

  it('cuts its end, with the producers that it knew there', async () => {
    const { log, manager, clock } = await open({ segmentBytes: 250 });
    const producer = { producerId: 7, producerEpoch: 0 };
    for (let i = 0; i < 10; i += 1) append(log, { ...producer, baseSequence: i });
    await settled(log.truncateTo(4), clock);
    expect([log.logEndOffset, log.highWatermark]).toEqual([4, 4]);
    expect(append(log, { ...producer, baseSequence: 4 })).toBe(4);
    expect((await settled(readAll(log, 0), clock)).length).toBe(testBatch().length * 4);
    await settled(manager.close(), clock);
  });

  it('begins at an offset whose earlier part is remote', async () => {
    const { log, manager, clock } = await open({ remoteStorageEnable: true });
    append(log);
    const leaderEpochs = [{ epoch: 3, startOffset: 0 }];
    await settled(log.startAt(1000, { logStartOffset: 0, leaderEpochs }), clock);
    expect([log.logStartOffset, log.localLogStartOffset, log.logEndOffset]).toEqual([
      0, 1000, 1000,
    ]);
    expect(append(log)).toBe(1000);
    expect(log.epochForOffset(999)).toBe(3);
    expect(log.epochForOffset(1000)).toBe(5);
    await settled(manager.close(), clock);
  });

  it('refuses everything after it is closed, and closes twice without harm', async () => {
    const { log, manager, clock } = await open();
    append(log);
    await settled(log.close(), clock);
    await settled(log.close(), clock);
    expect(() => append(log)).toThrow(LogClosedError);
    expect(() => log.read(0, { maxBytes: 1, minOneBatch: true, limit: 'log-end' })).toThrow(
      LogClosedError,
    );
    await settled(manager.close(), clock);
  });
});
