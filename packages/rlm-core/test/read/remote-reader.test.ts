import { ByteLimit } from '@logloft/quota';
import { describe, expect, it } from 'vitest';
import { ModelLog } from '../support/model-log.ts';
import { orders3 } from '../support/segments.ts';
import { tieredBroker } from '../support/tiered-broker.ts';

/** A broker whose rolled segments are all in the remote tier, and only there. */
async function tiered(
  fill: (log: ModelLog) => void,
  options: NonNullable<Parameters<typeof tieredBroker>[0]>['options'] = {},
) {
  const log = new ModelLog();
  fill(log);
  const broker = tieredBroker({ log, options });
  await broker.lead();
  log.applyLocalRetention();
  broker.store.calls.length = 0;
  return broker;
}

const batchesFrom = (log: ModelLog, offset: number): Buffer[] =>
  log.history.filter((batch) => batch.lastOffset >= offset).map((batch) => batch.bytes);

describe('a remote read', () => {
  it('returns what was appended, from every offset, by whole batches of one segment', async () => {
    const { manager, log } = await tiered((filled) => {
      for (let i = 0; i < 4; i += 1) filled.appendSegment(5, { records: 3, bytes: 30 });
    });
    for (let offset = 0; offset < 60; offset += 1) {
      const result = await manager.fetch(orders3, { offset, maxBytes: 500 });
      if (result.throttled) throw new Error('throttled');
      const all = Buffer.concat(batchesFrom(log, offset));
      expect(result.records.length).toBeGreaterThan(0);
      expect(result.records.equals(all.subarray(0, result.records.length))).toBe(true);
    }
  });

  it('asks the store for little more than it returns', async () => {
    const { manager, store } = await tiered((filled) => filled.appendSegment(400, { bytes: 1000 }));
    let returned = 0;
    for (let offset = 0; offset < 400; ) {
      const result = await manager.fetch(orders3, { offset, maxBytes: 100_000 });
      if (result.throttled) throw new Error('throttled');
      returned += result.records.length;
      offset += Math.round(result.records.length / (1000 + 70));
    }
    expect(store.bytesFetched).toBeLessThan(1.1 * returned);
  });

  it('returns a first batch above the limit, unless it must not', async () => {
    const { manager, log } = await tiered((filled) => filled.appendSegment(3, { bytes: 5000 }));
    const always = await manager.fetch(orders3, { offset: 1, maxBytes: 10 });
    expect(always).toMatchObject({ records: batchesFrom(log, 1)[0] });
    const not = await manager.fetch(orders3, { offset: 1, maxBytes: 10, firstBatchAlways: false });
    expect(not).toMatchObject({ throttled: false, records: Buffer.alloc(0) });
  });

  it('crosses leader epochs within a segment and between segments', async () => {
    const { manager, log } = await tiered((filled) => {
      filled.append();
      filled.newEpoch();
      filled.append();
      filled.roll();
      filled.newEpoch();
      filled.newEpoch();
      filled.appendSegment(2);
    });
    for (const offset of [0, 1, 2, 3]) {
      const result = await manager.fetch(orders3, { offset, maxBytes: 1 });
      expect(result).toMatchObject({ records: batchesFrom(log, offset)[0] });
    }
  });

  it('goes on in the next segment when this one ends before the offset (KAFKA-15388)', async () => {
    const { manager, log } = await tiered((filled) => {
      filled.appendSegment(3);
      filled.appendSegment(3);
      const [first] = filled.segments();
      first?.batches.pop();
      if (first !== undefined) first.compactedAway = 2;
    });
    const result = await manager.fetch(orders3, { offset: 2, maxBytes: 1 });
    expect(result).toMatchObject({ records: batchesFrom(log, 3)[0] });
  });

  it('says so when the offset is in no segment, which is no failed read', async () => {
    const { manager, metric } = await tiered((filled) => filled.appendSegment());
    await expect(manager.fetch(orders3, { offset: 50, maxBytes: 1 })).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_OFFSET_OUT_OF_RANGE',
      retryable: false,
    });
    expect(metric('RemoteFetchErrorsTotal')).toBeUndefined();
    expect(metric('RemoteFetchRequestsTotal')).toBe(1);
  });

  it('says so when the store has rubbish', async () => {
    const { manager, store, metric } = await tiered((filled) => filled.appendSegment());
    for (const [id, stored] of store.segments) {
      const parts = new Map(stored.parts).set('LOG', Buffer.alloc(264, 0xff));
      store.segments.set(id, { ...stored, parts });
    }
    await expect(manager.fetch(orders3, { offset: 0, maxBytes: 1 })).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_CORRUPT_BATCH',
    });
    expect(metric('RemoteFetchErrorsTotal')).toBe(1);
  });

  it('ends when the store does not answer, and when the caller gives up', async () => {
    const { manager, store, clock } = await tiered((filled) => filled.appendSegment());
    store.faultOf = () => ({ kind: 'hang' });
    const stalled = manager.fetch(orders3, { offset: 0, maxBytes: 1 }).catch((e: unknown) => e);
    await clock.advanceAsync(30_000);
    expect(await stalled).toMatchObject({ code: 'LOGLOFT_RLM_STORE_TIMEOUT' });
    const controller = new AbortController();
    const given = manager.fetch(orders3, { offset: 0, maxBytes: 1, signal: controller.signal });
    controller.abort(new Error('500 ms are over'));
    await expect(given).rejects.toThrow('500 ms are over');
  });

  it('reserves of the read quota no more than its segment has, and tells what is exhausted', async () => {
    const options = { readLimit: ByteLimit.of(400) };
    const { manager, metric, store, clock } = await tiered((f) => f.appendSegment(), options);
    store.faultOf = () => ({ kind: 'slow', ms: 10 });
    const read = () => manager.fetch(orders3, { offset: 0, maxBytes: 50_000_000 });
    const reads = [read(), read(), read()];
    await clock.advanceAsync(0);
    expect(manager.quotas().read.reservedBytes).toBe(2 * 264);
    expect(manager.readsAllowed).toBe(false);
    await clock.advanceAsync(100);
    const answers = await Promise.all(reads);
    expect(answers.map((one) => one.throttled)).toEqual([false, false, true]);
    expect(manager.quotas().read.reservedBytes).toBe(0);
    expect(metric('remote-fetch-throttle-time-max')).toBeGreaterThan(0);
    await clock.advanceAsync(2_000);
    expect(manager.readsAllowed).toBe(true);
  });

  it('waits its turn, and is refused when too many wait', async () => {
    const options = { readerThreads: 2, readerMaxPendingTasks: 3 };
    const { manager, store, clock, metric } = await tiered((f) => f.appendSegment(), options);
    store.faultOf = () => ({ kind: 'slow', ms: 1000 });
    const reads = Array.from({ length: 6 }, () =>
      manager.fetch(orders3, { offset: 0, maxBytes: 1 }).then(
        () => 'served',
        (error: { code: string }) => error.code,
      ),
    );
    await clock.advanceAsync(0);
    expect(metric('RemoteLogReaderTaskQueueSize')).toBe(3);
    await clock.advanceAsync(10_000);
    expect((await Promise.all(reads)).toSorted()).toEqual([
      'LOGLOFT_RLM_READER_QUEUE_FULL',
      ...Array.from({ length: 5 }, () => 'served'),
    ]);
    expect(metric('RemoteLogReaderTaskQueueSize')).toBe(0);
    expect(metric('RemoteLogReaderAvgIdlePercent')).toBe(1);
  });

  it('of a partition that is not tiered here is refused', async () => {
    const { manager } = await tiered((filled) => filled.appendSegment());
    const other = { ...orders3, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ' };
    await expect(manager.fetch(other, { offset: 0, maxBytes: 1 })).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_UNKNOWN_PARTITION',
    });
    await manager.close();
    await expect(manager.fetch(orders3, { offset: 0, maxBytes: 1 })).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_CLOSED',
    });
  });
});

describe('aborted transactions of a remote read', () => {
  const fill = (log: ModelLog): void => {
    log.appendSegment(4);
    log.appendSegment(4);
    log.append();
    // The marker of a transaction that began in the first segment.
    log.abort({ producerId: 7, firstOffset: 1, lastOffset: 8, lastStableOffset: 1 });
    log.append();
    log.abort({ producerId: 8, firstOffset: 9, lastOffset: 9, lastStableOffset: 10 });
    log.roll();
  };

  it('are found in the segment that has their marker, and segments without are passed over', async () => {
    const { manager, store } = await tiered(fill);
    const result = await manager.fetch(orders3, { offset: 1, maxBytes: 1e6, readCommitted: true });
    expect(result).toMatchObject({
      abortedTransactions: [{ producerId: 7, firstOffset: 1 }],
      abortedUpTo: undefined,
    });
    expect(store.calls).toEqual(['index OFFSET 0', 'fetch 0', 'index TRANSACTION 8']);
  });

  it('are those that overlap what is returned, which need not begin where the segment does (KAFKA-17801)', async () => {
    const { manager } = await tiered(fill);
    const result = await manager.fetch(orders3, { offset: 2, maxBytes: 1, readCommitted: true });
    expect(result).toMatchObject({ abortedTransactions: [{ producerId: 7, firstOffset: 1 }] });
    const before = await manager.fetch(orders3, { offset: 0, maxBytes: 1, readCommitted: true });
    expect(before).toMatchObject({ abortedTransactions: [] });
  });

  it('have to be asked of the local log, too, where the remote tier does not tell all', async () => {
    const { manager } = await tiered((log) => {
      log.appendSegment(4);
      log.append();
    });
    const result = await manager.fetch(orders3, { offset: 0, maxBytes: 1e6, readCommitted: true });
    expect(result).toMatchObject({ abortedTransactions: [], abortedUpTo: 4 });
  });

  it('do not matter to who reads uncommitted', async () => {
    const { manager, store } = await tiered(fill);
    const result = await manager.fetch(orders3, { offset: 8, maxBytes: 1e6 });
    expect(result).toMatchObject({ abortedTransactions: [], abortedUpTo: undefined });
    expect(store.calls).toEqual(['index OFFSET 8', 'fetch 8']);
  });
});

describe('offsets by time over the remote tier', () => {
  const fill = (log: ModelLog): void => {
    for (let i = 0; i < 30; i += 1) {
      // Times rise by 10 ms an offset, but every third record is 25 ms late.
      log.append({ timestampMs: 1000 + i * 10 - (i % 3 === 0 ? 25 : 0) });
      if (i % 10 === 9) log.roll();
    }
    log.append({ timestampMs: 5000 });
  };

  it('are the first records that are late enough, at every time', async () => {
    const { manager, log } = await tiered(fill);
    for (let timestampMs = 900; timestampMs <= 1300; timestampMs += 1) {
      const expected = log.history.slice(0, 30).find((batch) => batch.timestampMs >= timestampMs);
      const found = await manager.offsetForTimestamp(orders3, timestampMs);
      expect([timestampMs, found?.offset]).toEqual([timestampMs, expected?.baseOffset]);
    }
  });

  it('are not below the log start', async () => {
    const { manager, log } = await tiered(fill);
    await log.advanceLogStartOffset(4);
    expect(await manager.offsetForTimestamp(orders3, 0)).toMatchObject({ offset: 4 });
  });

  it('are left to the local log where it has the segment', async () => {
    const log = new ModelLog();
    fill(log);
    const { lead, manager, store } = tieredBroker({ log });
    await lead();
    store.calls.length = 0;
    expect(await manager.offsetForTimestamp(orders3, 1000)).toBeUndefined();
    expect(store.calls).toEqual([]);
  });

  it('have a greatest one', async () => {
    const { manager } = await tiered(fill);
    expect(await manager.maxTimestamp(orders3)).toEqual({
      offset: 29,
      timestampMs: 1290,
      leaderEpoch: 0,
    });
  });

  it('are found with compressed batches of many records', async () => {
    const { manager } = await tiered((log) => {
      for (let i = 0; i < 20; i += 1) {
        log.append({ records: 5, timestampMs: 1000 + i, batch: { compression: 'gzip' } });
      }
      log.roll();
    });
    expect(await manager.offsetForTimestamp(orders3, 1007)).toEqual({
      offset: 35,
      timestampMs: 1007,
      leaderEpoch: 0,
    });
  });
});
