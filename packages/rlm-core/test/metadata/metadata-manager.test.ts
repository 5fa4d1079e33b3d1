import { ManualClock } from '@logloft/clock';
import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { describe, expect, it } from 'vitest';
import type {
  EventSubscription,
  MetadataEventLog,
  StoredEvent,
} from '../../src/metadata/event-log.ts';
import { InMemoryEventLog } from '../../src/metadata/in-memory-event-log.ts';
import { RemoteLogMetadataManager } from '../../src/metadata/metadata-manager.ts';
import { metadataPartitionFor } from '../../src/metadata/partitioner.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { orders3, segment } from '../support/segments.ts';

/** A log whose replay and delivery wait until they are let go. */
class SlowEventLog implements MetadataEventLog {
  readonly partitionCount = 1;
  readonly stored: StoredEvent[] = [];
  subscriptions = 0;
  holdReplay = false;
  holdDelivery = false;
  failReplays = 0;
  #release: (() => void) | undefined;
  #listener: ((event: StoredEvent) => void) | undefined;

  append(_partition: number, value: Uint8Array): Promise<number> {
    const event = { offset: this.stored.length, value: value.slice() };
    this.stored.push(event);
    if (!this.holdDelivery) this.#listener?.(event);
    return Promise.resolve(event.offset);
  }

  subscribe(_partition: number, onEvent: (event: StoredEvent) => void): EventSubscription {
    this.subscriptions += 1;
    this.#listener = onEvent;
    if (this.failReplays > 0) {
      this.failReplays -= 1;
      for (const event of this.stored.slice(0, 1)) onEvent(event);
      return { caughtUp: Promise.reject(new Error('disk')), close: () => undefined };
    }
    const replay = (): void => {
      for (const event of this.stored) onEvent(event);
    };
    if (!this.holdReplay) {
      replay();
      return { caughtUp: Promise.resolve(), close: () => undefined };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#release = () => {
      replay();
      resolve();
    };
    return { caughtUp: promise, close: () => undefined };
  }

  release(): void {
    this.#release?.();
  }

  deliver(): void {
    for (const event of this.stored) this.#listener?.(event);
  }
}

function setUp(log: MetadataEventLog = new InMemoryEventLog()) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const manager = new RemoteLogMetadataManager({ log, clock, logger });
  return { clock, logger, manager, log };
}

const finished = (metadata: RemoteLogSegmentMetadata) => ({
  remoteLogSegmentId: metadata.remoteLogSegmentId,
  brokerId: 1,
  eventTimestampMs: 5,
  state: 'COPY_SEGMENT_FINISHED' as const,
});

describe('the remote log metadata manager', () => {
  it('sees its own events when the call has returned', async () => {
    const { manager, clock } = setUp();
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const a = segment('A', 0, 99);
    await manager.addRemoteLogSegmentMetadata(a);
    expect(manager.listRemoteLogSegments(orders3)).toEqual([a]);
    expect(manager.remoteLogSegmentMetadata(orders3, 0, 50)).toBeUndefined();
    await manager.updateRemoteLogSegmentMetadata(finished(a));
    expect(manager.remoteLogSegmentMetadata(orders3, 0, 50)?.state).toBe('COPY_SEGMENT_FINISHED');
    expect(manager.highestOffsetForEpoch(orders3, 0)).toBe(99);
    expect(clock.pendingTimers).toBe(0);
  });

  it('says that it is not ready until all events are read, and never that there are none', async () => {
    const log = new SlowEventLog();
    log.holdReplay = true;
    const { manager } = setUp(log);
    const notReady = expect.objectContaining({ code: 'LOGLOFT_RLM_NOT_READY', retryable: true });
    expect(() => manager.listRemoteLogSegments(orders3)).toThrow(notReady);
    manager.assign([orders3]);
    expect(manager.isReady(orders3)).toBe(false);
    expect(() => manager.listRemoteLogSegments(orders3)).toThrow(notReady);
    expect(() => manager.highestOffsetForEpoch(orders3, 0)).toThrow(notReady);
    expect(() => manager.remoteLogSegmentMetadata(orders3, 0, 0)).toThrow(notReady);
    expect(() => manager.nextSegmentWithTxnIndex(orders3, 0, 0)).toThrow(notReady);
    await expect(manager.addRemoteLogSegmentMetadata(segment('A', 0, 9))).rejects.toEqual(notReady);
    const ready = manager.whenReady(orders3);
    log.release();
    await ready;
    expect(manager.listRemoteLogSegments(orders3)).toEqual([]);
  });

  it('finds everything again after a restart', async () => {
    const { manager, log } = setUp();
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const a = segment('A', 0, 99);
    const b = segment('B', 100, 199);
    await manager.addRemoteLogSegmentMetadata(a);
    await manager.updateRemoteLogSegmentMetadata(finished(a));
    await manager.addRemoteLogSegmentMetadata(b);
    const again = setUp(log).manager;
    again.assign([orders3]);
    await again.whenReady(orders3);
    expect(again.listRemoteLogSegments(orders3)).toEqual(manager.listRemoteLogSegments(orders3));
    expect(again.highestOffsetForEpoch(orders3, 0)).toBe(99);
  });

  it('knows a topic of the same name that was created again as another one', async () => {
    const { manager } = setUp();
    const other = { ...orders3, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ' };
    manager.assign([orders3, other]);
    await manager.whenReady(orders3);
    await manager.addRemoteLogSegmentMetadata(segment('A', 0, 99));
    expect(manager.listRemoteLogSegments(other)).toEqual([]);
  });

  it('skips records that cannot be decoded or have no effect, and says so', async () => {
    const log = new InMemoryEventLog();
    const at = metadataPartitionFor(orders3, log.partitionCount);
    await log.append(at, Uint8Array.of(1, 2, 3));
    const { manager, logger } = setUp(log);
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const a = segment('A', 0, 99);
    await manager.addRemoteLogSegmentMetadata(a);
    await manager.updateRemoteLogSegmentMetadata({
      ...finished(a),
      state: 'DELETE_SEGMENT_FINISHED',
    });
    expect(manager.listRemoteLogSegments(orders3)).toEqual([a]);
    expect(logger.lines).toEqual([
      'error A record of the remote log metadata was skipped',
      'warn An event of the remote log metadata has no effect',
    ]);
  });

  it('refuses states that a call does not take, and updates of what it does not know', async () => {
    const { manager } = setUp();
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const invalid = expect.objectContaining({ code: 'LOGLOFT_RLM_INVALID_EVENT' });
    const a = segment('A', 0, 99);
    const wrong = { ...a, state: 'COPY_SEGMENT_FINISHED' as const };
    await expect(manager.addRemoteLogSegmentMetadata(wrong)).rejects.toEqual(invalid);
    await expect(manager.updateRemoteLogSegmentMetadata(finished(a))).rejects.toEqual(invalid);
    await manager.addRemoteLogSegmentMetadata(a);
    const started = { ...finished(a), state: 'COPY_SEGMENT_STARTED' as const };
    await expect(manager.updateRemoteLogSegmentMetadata(started)).rejects.toEqual(invalid);
  });

  it('gives up with a retryable error when an event does not come back', async () => {
    const log = new SlowEventLog();
    const { manager, clock } = setUp(log);
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    log.holdDelivery = true;
    const adding = manager.addRemoteLogSegmentMetadata(segment('A', 0, 9)).catch((e: unknown) => e);
    await clock.advanceAsync(119_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceAsync(1);
    expect(await adding).toMatchObject({ code: 'LOGLOFT_RLM_METADATA_TIMEOUT', retryable: true });
    log.deliver();
    expect(manager.listRemoteLogSegments(orders3)).toHaveLength(1);
  });

  it('reads a log that failed half-way from the beginning again', async () => {
    const log = new SlowEventLog();
    const first = setUp(log).manager;
    first.assign([orders3]);
    await first.whenReady(orders3);
    const a = segment('A', 0, 99);
    await first.addRemoteLogSegmentMetadata(a);
    await first.updateRemoteLogSegmentMetadata(finished(a));
    log.failReplays = 2;
    const { manager, clock } = setUp(log);
    manager.assign([orders3]);
    await clock.advanceAsync(150);
    expect(manager.isReady(orders3)).toBe(false);
    await clock.advanceAsync(100);
    expect(manager.isReady(orders3)).toBe(true);
    expect(manager.listRemoteLogSegments(orders3)).toEqual(first.listRemoteLogSegments(orders3));
    expect(log.subscriptions).toBe(4);
  });

  it('ignores events that the log delivers twice', async () => {
    const log = new SlowEventLog();
    const { manager } = setUp(log);
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const a = segment('A', 0, 99);
    await manager.addRemoteLogSegmentMetadata(a);
    await manager.updateRemoteLogSegmentMetadata(finished(a));
    for (const state of ['DELETE_SEGMENT_STARTED', 'DELETE_SEGMENT_FINISHED'] as const) {
      await manager.updateRemoteLogSegmentMetadata({ ...finished(a), state });
    }
    log.deliver();
    expect(manager.listRemoteLogSegments(orders3)).toEqual([]);
  });

  it('leaves memory and timers when partitions go and when it closes', async () => {
    const log = new SlowEventLog();
    const { manager, clock } = setUp(log);
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    log.holdDelivery = true;
    const adding = manager.addRemoteLogSegmentMetadata(segment('A', 0, 9)).catch((e: unknown) => e);
    await clock.advanceAsync(0);
    await manager.close();
    await manager.close();
    expect(await adding).toMatchObject({ code: 'LOGLOFT_RLM_CLOSED' });
    expect(clock.pendingTimers).toBe(0);
    const closed = expect.objectContaining({ code: 'LOGLOFT_RLM_CLOSED' });
    expect(() => manager.listRemoteLogSegments(orders3)).toThrow(closed);
    await expect(manager.whenReady(orders3)).rejects.toEqual(closed);
  });

  it('finds deletions of whole partitions that were not finished', async () => {
    const { manager, log } = setUp();
    manager.assign([orders3]);
    await manager.whenReady(orders3);
    const step = { topicIdPartition: orders3, brokerId: 1, eventTimestampMs: 1 };
    await manager.putRemotePartitionDeleteMetadata({ ...step, state: 'DELETE_PARTITION_MARKED' });
    const again = setUp(log).manager;
    expect(again.pendingPartitionDeletions()).toEqual([]);
    again.followAll();
    await again.whenReady(orders3);
    expect(again.pendingPartitionDeletions()).toMatchObject([{ topicIdPartition: orders3 }]);
    await again.putRemotePartitionDeleteMetadata({ ...step, state: 'DELETE_PARTITION_STARTED' });
    await again.putRemotePartitionDeleteMetadata({ ...step, state: 'DELETE_PARTITION_FINISHED' });
    expect(again.pendingPartitionDeletions()).toEqual([]);
  });
});
