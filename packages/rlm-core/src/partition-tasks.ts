import type { WriteQuotaManager } from '@logloft/quota';
import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { copyLagOf } from './copy/copy-lag.ts';
import { CopyTask } from './copy/copy-task.ts';
import { seedHighestRemoteOffset } from './copy/highest-remote-offset.ts';
import { ExpireTask } from './expire/expire-task.ts';
import type { LocalSegmentView, PartitionLogView } from './partition-log-view.ts';
import type { RemoteLogStatus, SegmentStatus } from './remote-log-status.ts';
import { PeriodicTask } from './scheduling/periodic-task.ts';
import type { SlotPool } from './scheduling/slot-pool.ts';
import type { TieringContext } from './tiering-context.ts';

/** What the tasks of all partitions share. */
export interface SharedResources {
  readonly context: TieringContext;
  readonly writers: SlotPool;
  readonly expirers: SlotPool;
  readonly writeQuota: WriteQuotaManager;
}

/** A partition's place in the replication. */
export type PartitionRole = 'leader' | 'follower';

/**
 * The tasks of one partition. A leader copies and expires, in separate slots, so that neither holds the
 * other up. A follower only learns what the leader has copied, so that its own retention may go on.
 */
export class PartitionTasks {
  readonly log: PartitionLogView;
  readonly role: PartitionRole;
  readonly #shared: SharedResources;
  readonly #copy: CopyTask | undefined;
  readonly #expire: ExpireTask | undefined;
  readonly #follow: PeriodicTask | undefined;

  constructor(log: PartitionLogView, role: PartitionRole, shared: SharedResources) {
    this.log = log;
    this.role = role;
    this.#shared = shared;
    const { context, writers, expirers, writeQuota } = shared;
    if (role === 'leader') {
      this.#copy = new CopyTask({ context, log, writers, quota: writeQuota });
      this.#expire = new ExpireTask({ context, log, workers: expirers });
    } else {
      this.#follow = new PeriodicTask({
        clock: context.clock,
        run: (signal) => this.#followOnce(signal),
      });
    }
  }

  start(): void {
    this.#copy?.start();
    this.#expire?.start();
    this.#follow?.start();
  }

  /** Makes the next runs begin at once. */
  hurry(): void {
    this.#copy?.hurry();
    this.#expire?.hurry();
    this.#follow?.hurry();
  }

  /** Aborts what is under way, waits for its end, and takes the partition out of the metrics. */
  async stop(reason: unknown): Promise<void> {
    await Promise.all([
      this.#copy?.stop(reason),
      this.#expire?.stop(reason),
      this.#follow?.stop(reason),
    ]);
    this.#shared.context.metrics.forget(this.log.topicIdPartition);
  }

  /** Ms since the copy under way began, 0 for none. */
  get copyAgeMs(): number {
    return this.#copy?.status.copying?.forMs ?? 0;
  }

  get status(): RemoteLogStatus {
    const { log } = this;
    const { metadata } = this.#shared.context;
    const ready = metadata.isReady(log.topicIdPartition);
    return {
      ready,
      logStartOffset: log.logStartOffset,
      localLogStartOffset: log.localLogStartOffset,
      logEndOffset: log.logEndOffset,
      highestOffsetInRemoteStorage: log.highestOffsetInRemoteStorage,
      segments: [...(ready ? this.#remoteOnly() : []), ...this.#local()],
      copyLag: copyLagOf(log.segments(), log.highestOffsetInRemoteStorage),
      copy: this.#copy?.status,
      expireError: this.#expire?.error,
    };
  }

  async #followOnce(signal: AbortSignal): Promise<number> {
    const { metadata, options, logger } = this.#shared.context;
    try {
      await metadata.whenReady(this.log.topicIdPartition, { signal });
      seedHighestRemoteOffset(this.log, metadata);
    } catch (error) {
      if (!signal.aborted) logger.debug('A follower could not learn what is tiered', { error });
    }
    return options.taskIntervalMs;
  }

  /** Finished segments below what is local. */
  #remoteOnly(): SegmentStatus[] {
    const localStart = this.log.segments()[0]?.baseOffset ?? this.log.localLogStartOffset;
    return this.#shared.context.metadata
      .listRemoteLogSegments(this.log.topicIdPartition)
      .filter((segment) => segment.state === 'COPY_SEGMENT_FINISHED')
      .filter((segment) => segment.startOffset < localStart)
      .sort((a, b) => a.startOffset - b.startOffset)
      .map(remoteStatus);
  }

  #local(): SegmentStatus[] {
    const plan = this.#copy?.plan();
    const reasons = new Map(
      plan?.others.map(({ segment, reason }) => [segment.baseOffset, reason]),
    );
    return this.log.segments().map((segment) => {
      const copied = segment.nextOffset - 1 <= this.log.highestOffsetInRemoteStorage;
      const both = copied && !segment.active && segment.nextOffset > segment.baseOffset;
      const reason = reasons.get(segment.baseOffset);
      return {
        baseOffset: segment.baseOffset,
        endOffset: segment.nextOffset - 1,
        sizeInBytes: segment.sizeInBytes,
        place: both ? 'both' : 'local',
        notCopied: both ? undefined : (reason ?? this.#waitsFor(segment)),
      };
    });
  }

  /** What an eligible segment waits for. */
  #waitsFor(segment: LocalSegmentView): SegmentStatus['notCopied'] {
    const status = this.#copy?.status;
    if (status?.copying?.baseOffset === segment.baseOffset) return 'copying';
    return status?.outcome === 'quota-exhausted' ? 'quota-exhausted' : 'waiting';
  }
}

function remoteStatus(segment: RemoteLogSegmentMetadata): SegmentStatus {
  return {
    baseOffset: segment.startOffset,
    endOffset: segment.endOffset,
    sizeInBytes: segment.segmentSizeInBytes,
    place: 'remote',
    notCopied: undefined,
  };
}
