import { ManualClock } from '@logloft/clock';
import { ByteLimit } from '@logloft/quota';
import { describe, expect, it } from 'vitest';
import { InMemoryEventLog } from '../src/index.ts';
import { metadataPartitionFor } from '../src/metadata/partitioner.ts';
import { ModelLog } from './support/model-log.ts';
import { ModelStore } from './support/model-store.ts';
import { orders3 } from './support/segments.ts';
import { tieredBroker } from './support/tiered-broker.ts';

function logWithSegments(count: number, facts = {}): ModelLog {
  const log = new ModelLog(facts);
  for (let i = 0; i < count; i += 1) log.appendSegment();
  return log;
}

const partition = (number: number) => ({ ...orders3, partition: number });

describe('the remote log manager', () => {
  it('passes over logs that are not tiered', async () => {
    const log = logWithSegments(2, { remoteStorageEnable: false });
    const { lead, store, manager } = tieredBroker({ log });
    await lead();
    expect(store.calls).toEqual([]);
    expect(() => manager.status(orders3)).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_RLM_UNKNOWN_PARTITION' }),
    );
  });

  it('calls no plugin while the catalogue is not read, and counts no error', async () => {
    const eventLog = new InMemoryEventLog();
    const { promise, resolve } = Promise.withResolvers<void>();
    const subscribe = eventLog.subscribe.bind(eventLog);
    eventLog.subscribe = (at, onEvent) => ({ ...subscribe(at, onEvent), caughtUp: promise });
    const { lead, store, manager, clock, metric } = tieredBroker({
      log: logWithSegments(1),
      eventLog,
    });
    await lead();
    await clock.advanceAsync(100_000);
    expect(store.calls).toEqual([]);
    expect(metric('RemoteCopyErrorsTotal')).toBeUndefined();
    expect(manager.status(orders3)).toMatchObject({ ready: false, copy: { outcome: 'not-ready' } });
    const read = manager.fetch(orders3, { offset: 0, maxBytes: 1 }).catch((e: unknown) => e);
    await clock.advanceAsync(100);
    expect(await read).toMatchObject({ code: 'LOGLOFT_RLM_NOT_READY', retryable: true });
    resolve();
    await clock.advanceAsync(0);
    expect(store.calls).toEqual(['copy 0']);
  });

  it('lets a follower learn what is tiered, and copies nothing there', async () => {
    const eventLog = new InMemoryEventLog();
    const clock = new ManualClock();
    const store = new ModelStore(clock);
    const leader = tieredBroker({ log: logWithSegments(2), eventLog, clock, store });
    await leader.lead();
    const follower = tieredBroker({ log: logWithSegments(2), eventLog, clock, store, brokerId: 2 });
    store.calls.length = 0;
    await follower.manager.onLeadershipChange({ followers: [follower.log] });
    await clock.advanceAsync(0);
    expect(follower.log.highestOffsetInRemoteStorage).toBe(5);
    expect(store.calls).toEqual([]);
    expect(follower.log.applyLocalRetention()).toEqual([0, 3]);
    expect(await follower.manager.fetch(orders3, { offset: 0, maxBytes: 1 })).toMatchObject({
      throttled: false,
    });
    await Promise.all([leader.manager.close(), follower.manager.close()]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes a partition out of the metrics when it becomes a follower (KAFKA-16948)', async () => {
    const log = logWithSegments(2);
    const { lead, manager, store, metric } = tieredBroker({ log });
    store.faultOf = () => ({ kind: 'fail', retryable: false });
    await lead();
    expect(metric('RemoteCopyLagSegments')).toBe(2);
    expect(metric('RemoteCopyLagSegments', 1)).toBe(2);
    await manager.onLeadershipChange({ followers: [log] });
    expect(metric('RemoteCopyLagSegments')).toBe(0);
    expect(metric('RemoteCopyLagSegments', 1)).toBeUndefined();
  });

  it('leaves undisturbed what it leads already', async () => {
    const log = logWithSegments(1);
    const { lead, manager, store, clock } = tieredBroker({ log });
    store.faultOf = () => ({ kind: 'slow', ms: 1000 });
    await lead();
    await manager.onLeadershipChange({ leaders: [log] });
    await clock.advanceAsync(1000);
    expect(store.calls).toEqual(['copy 0']);
    expect(log.highestOffsetInRemoteStorage).toBe(2);
  });

  it('copies on no more writers than it may have, over all partitions', async () => {
    const clock = new ManualClock();
    const store = new ModelStore(clock);
    let most = 0;
    const { manager, metric } = tieredBroker({ clock, store, options: { copierThreads: 3 } });
    store.faultOf = () => {
      const idle = metric('RemoteLogManagerTasksAvgIdlePercent') ?? 0;
      most = Math.max(most, Math.round((1 - idle) * 3));
      return { kind: 'slow', ms: 100 };
    };
    const logs = Array.from({ length: 12 }, (_, at) => {
      const log = new ModelLog({}, partition(at));
      log.appendSegment();
      return log;
    });
    await manager.onLeadershipChange({ leaders: logs });
    await clock.advanceAsync(399);
    expect(logs.filter((log) => log.highestOffsetInRemoteStorage >= 0)).toHaveLength(9);
    await clock.advanceAsync(1);
    expect(logs.filter((log) => log.highestOffsetInRemoteStorage >= 0)).toHaveLength(12);
    expect(most).toBe(3);
    await manager.close();
  });

  it('lets twenty copies at once not pass a quota for one, and leaks nothing when half of them fail', async () => {
    const clock = new ManualClock();
    const store = new ModelStore(clock);
    const options = { copierThreads: 20, writeLimit: ByteLimit.of(10) };
    const { manager } = tieredBroker({ clock, store, options });
    const logs = Array.from({ length: 20 }, (_, at) => {
      const log = new ModelLog({}, partition(at));
      log.appendSegment();
      return log;
    });
    store.faultOf = () => ({ kind: 'slow', ms: 100 });
    await manager.onLeadershipChange({ leaders: logs });
    await clock.advanceAsync(50);
    expect(store.calls).toEqual(['copy 0']);
    expect(manager.quotas().write.reservedBytes).toBe(264);
    await clock.advanceAsync(1000);
    expect(manager.quotas().write.reservedBytes).toBe(0);
    let attempt = 0;
    store.faultOf = () => {
      attempt += 1;
      return attempt % 2 === 0 ? { kind: 'half' } : undefined;
    };
    manager.updateWriteLimit(ByteLimit.unlimited);
    await clock.advanceAsync(200_000);
    expect(manager.quotas().write.reservedBytes).toBe(0);
    await manager.close();
  });

  it('feels a limit that is changed while copies wait at once', async () => {
    const log = logWithSegments(3);
    const options = { writeLimit: ByteLimit.of(1), writeExhausted: 'wait' as const };
    const { lead, manager, clock } = tieredBroker({ log, options });
    await lead();
    await clock.advanceAsync(40_000);
    expect(log.highestOffsetInRemoteStorage).toBe(2);
    manager.updateWriteLimit(ByteLimit.unlimited);
    await clock.advanceAsync(0);
    expect(log.highestOffsetInRemoteStorage).toBe(8);
  });

  it('stops promptly while a copy waits for the quota, or is paced', async () => {
    for (const writeExhausted of ['wait', 'pace'] as const) {
      const options = { writeLimit: ByteLimit.of(1), writeExhausted };
      const { lead, manager, clock } = tieredBroker({ log: logWithSegments(3), options });
      await lead();
      await manager.close();
      await manager.close();
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('holds paced copies to the limit, byte by byte', async () => {
    const log = logWithSegments(2);
    const options = { writeLimit: ByteLimit.of(100), writeExhausted: 'pace' as const };
    const { lead, clock } = tieredBroker({ log, options });
    await lead();
    await clock.advanceAsync(4_000);
    expect(log.highestOffsetInRemoteStorage).toBe(2);
    await clock.advanceAsync(2_000);
    expect(log.highestOffsetInRemoteStorage).toBe(5);
  });

  it('warns of a limit that cannot be held on the average, and says which rate results', async () => {
    const log = logWithSegments(1, { segmentBytes: 61_000 });
    const options = { writeLimit: ByteLimit.of(999) };
    const { lead, manager, logger } = tieredBroker({ log, options });
    await lead();
    expect(manager.quotas().heldWriteRate).toBe(1000);
    expect(logger.lines.filter((line) => line.includes('cannot be held'))).toHaveLength(1);
    manager.updateWriteLimit(ByteLimit.of(1000));
    expect(logger.lines.filter((line) => line.includes('cannot be held'))).toHaveLength(1);
  });

  it('does not copy a damaged segment, and says why', async () => {
    for (const damaged of ['log', 'offsetIndex', 'timeIndex'] as const) {
      const log = logWithSegments(1);
      const [first] = log.segments();
      if (first !== undefined) first.damaged = damaged;
      const { lead, manager, store, metric } = tieredBroker({ log });
      await lead();
      expect(store.calls).toEqual([]);
      expect(manager.status(orders3).copy).toMatchObject({
        outcome: 'failed',
        error: { code: 'LOGLOFT_RLM_CORRUPT_SEGMENT' },
      });
      expect(metric('RemoteCopyErrorsTotal')).toBe(1);
      expect(first?.leases).toBe(0);
      await manager.close();
    }
  });

  it('does not let go of a local segment whose finished copy was withdrawn', async () => {
    const log = logWithSegments(1);
    const { lead, manager, clock } = tieredBroker({ log });
    await lead();
    const [copied] = manager.metadata.listRemoteLogSegments(orders3);
    if (copied === undefined) throw new Error('nothing is copied');
    const { remoteLogSegmentId } = copied;
    log.restart();
    // As another broker would that takes its copy back.
    for (const state of ['DELETE_SEGMENT_STARTED', 'DELETE_SEGMENT_FINISHED'] as const) {
      const update = { remoteLogSegmentId, brokerId: 2, eventTimestampMs: clock.now(), state };
      await manager.metadata.updateRemoteLogSegmentMetadata(update);
    }
    expect(manager.metadata.highestOffsetForEpoch(orders3, 0)).toBe(2);
    log.config = { ...log.config, remoteLogCopyDisable: true };
    await clock.advanceAsync(60_000);
    expect(log.highestOffsetInRemoteStorage).toBe(-1);
  });

  it('does not delete a copy whose last event may be stored yet', async () => {
    const eventLog = new InMemoryEventLog();
    const append = eventLog.append.bind(eventLog);
    let appends = 0;
    const late: (() => void)[] = [];
    eventLog.append = (at, value) => {
      appends += 1;
      if (appends !== 2) return append(at, value);
      return new Promise((resolve) => late.push(() => void append(at, value).then(resolve)));
    };
    const log = logWithSegments(1);
    const { lead, manager, store, clock } = tieredBroker({ log, eventLog });
    await lead();
    log.config = { ...log.config, remoteLogCopyDisable: true };
    await clock.advanceAsync(200_000);
    expect(store.calls).toEqual(['copy 0']);
    for (const store of late) store();
    await clock.advanceAsync(30_000);
    expect(store.calls).toEqual(['copy 0']);
    expect(log.highestOffsetInRemoteStorage).toBe(2);
    expect(manager.metadata.remoteLogSegmentMetadata(orders3, 0, 1)).toBeDefined();
  });

  it('takes a segment that expires while its copy fails for done', async () => {
    const log = logWithSegments(2);
    const { lead, manager, store, clock, metric } = tieredBroker({ log });
    store.faultOf = (operation, { startOffset }) =>
      operation === 'copy' && startOffset === 0 ? { kind: 'slow', ms: 1000 } : undefined;
    await lead();
    await log.advanceLogStartOffset(3);
    store.faultOf = () => undefined;
    store.customMetadata = new Uint8Array(129);
    await clock.advanceAsync(999);
    store.onCopied = () => {
      store.customMetadata = undefined;
    };
    await clock.advanceAsync(1);
    expect(manager.status(orders3).copy).toMatchObject({ outcome: 'up-to-date', failures: 0 });
    expect(metric('RemoteCopyErrorsTotal')).toBeUndefined();
    expect(log.highestOffsetInRemoteStorage).toBe(5);
  });

  it('skips over hostile records in the metadata log', async () => {
    const eventLog = new InMemoryEventLog();
    const at = metadataPartitionFor(orders3, 50);
    await eventLog.append(at, Uint8Array.of(1, 0, 0, 255, 255, 255, 255, 15));
    const { lead, store } = tieredBroker({ log: logWithSegments(1), eventLog });
    await lead();
    expect(store.calls).toEqual(['copy 0']);
  });

  it('shows how old the oldest copy is', async () => {
    const { lead, store, clock, metric, manager } = tieredBroker({ log: logWithSegments(1) });
    store.faultOf = () => ({ kind: 'slow', ms: 100_000 });
    await lead();
    await clock.advanceAsync(7_000);
    expect(metric('RemoteCopyOldestAgeMs')).toBe(7_000);
    expect(manager.status(orders3).copy?.copying).toEqual({ baseOffset: 0, forMs: 7_000 });
  });

  it('lets the lag grow while the store fails, backs off, and copies all once it is well', async () => {
    const log = logWithSegments(1);
    const { lead, store, clock, metric } = tieredBroker({ log, options: { taskIntervalMs: 100 } });
    store.faultOf = () => ({ kind: 'fail', retryable: true });
    await lead();
    const attempts = () => store.calls.filter((call) => call.startsWith('copy')).length;
    for (let i = 0; i < 5; i += 1) {
      log.appendSegment();
      await clock.advanceAsync(60_000);
    }
    expect(metric('RemoteCopyLagSegments')).toBe(6);
    expect(metric('RemoteCopyLagBytes')).toBe(6 * 264);
    // 300 s at 100 ms were 3,000 attempts without backing off.
    expect(attempts()).toBeLessThan(25);
    store.faultOf = () => undefined;
    await clock.advanceAsync(40_000);
    expect(metric('RemoteCopyLagSegments')).toBe(0);
    expect(log.highestOffsetInRemoteStorage).toBe(17);
  });

  it('takes all its metrics out of the registry when it closes', async () => {
    const { lead, manager, metrics, store } = tieredBroker({ log: logWithSegments(2) });
    await lead();
    expect([...metrics.metrics()].length).toBeGreaterThan(20);
    await manager.close();
    expect([...metrics.metrics()].map((one) => one.name.name)).toEqual(['count']);
    expect(store.calls).toHaveLength(2);
  });
});

describe('the deletion of a topic', () => {
  it('holds up no other partition while the catalogue is being read', async () => {
    const eventLog = new InMemoryEventLog();
    const subscribe = eventLog.subscribe.bind(eventLog);
    const blocked = metadataPartitionFor(orders3, 50);
    const never = new Promise<void>(() => undefined);
    eventLog.subscribe = (at, onEvent) => {
      const subscription = subscribe(at, onEvent);
      return at === blocked ? { ...subscription, caughtUp: never } : subscription;
    };
    const other = new ModelLog({}, partition(7));
    other.appendSegment();
    const { manager, store, clock } = tieredBroker({ eventLog });
    manager.start();
    const controller = new AbortController();
    const { signal } = controller;
    const deleted = manager.onStopPartitions([orders3], { deleteRemote: true, signal });
    await manager.onLeadershipChange({ leaders: [other] });
    await clock.advanceAsync(0);
    expect(store.calls).toEqual(['copy 0']);
    controller.abort(new Error('given up'));
    await expect(deleted).rejects.toThrow('given up');
    await manager.close();
  });

  it('removes partitions side by side, and is seen as pending until all is gone', async () => {
    const { manager, store, clock, lead, eventLog } = tieredBroker({ log: logWithSegments(3) });
    await lead();
    store.faultOf = () => ({ kind: 'slow', ms: 1000 });
    await manager.onStopPartitions([orders3], { deleteRemote: true });
    await clock.advanceAsync(2_500);
    expect(manager.pendingDeletions()).toEqual([orders3]);
    expect(store.segments.size).toBe(1);
    await clock.advanceAsync(1_000);
    expect(manager.pendingDeletions()).toEqual([]);
    expect(store.segments.size).toBe(0);
    await manager.close();
    expect(clock.pendingTimers).toBe(0);
    const again = tieredBroker({ eventLog, clock, store });
    again.manager.start();
    await clock.advanceAsync(0);
    expect(again.manager.pendingDeletions()).toEqual([]);
    // A broker that is not sure asks once more: there is nothing to do, and nothing is written.
    const events = () =>
      eventLog instanceof InMemoryEventLog &&
      eventLog.events(metadataPartitionFor(orders3, 50)).length;
    const before = events();
    await again.manager.onStopPartitions([orders3, partition(9)], { deleteRemote: true });
    expect(events()).toBe(before);
    await again.manager.close();
  });

  it('begins anew for a topic that was tiered again, and goes on after a crash', async () => {
    const { manager, store, clock, lead, eventLog } = tieredBroker({ log: logWithSegments(2) });
    await lead();
    await manager.onStopPartitions([orders3], { deleteRemote: true });
    await clock.advanceAsync(1_000);
    expect(store.segments.size).toBe(0);
    await manager.onLeadershipChange({ leaders: [logWithSegments(3)] });
    await clock.advanceAsync(1_000);
    expect(store.segments.size).toBe(3);
    store.faultOf = () => ({ kind: 'fail', retryable: true });
    await manager.onStopPartitions([orders3], { deleteRemote: true });
    expect(manager.metadata.partitionDeleteState(orders3)).toBe('DELETE_PARTITION_MARKED');
    await clock.advanceAsync(1_000);
    await manager.close();
    expect(store.segments.size).toBe(3);
    store.faultOf = () => undefined;
    const again = tieredBroker({ eventLog, clock, store });
    again.manager.start();
    await clock.advanceAsync(1_000);
    expect(store.segments.size).toBe(0);
    expect(again.manager.pendingDeletions()).toEqual([]);
    expect(again.manager.metadata.partitionDeleteState(orders3)).toBe('DELETE_PARTITION_FINISHED');
    await again.manager.close();
  });
});
