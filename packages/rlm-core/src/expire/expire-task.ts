import { seedHighestRemoteOffset } from '../copy/highest-remote-offset.ts';
import { isRemoteLogError } from '../errors.ts';
import type { PartitionLogView } from '../partition-log-view.ts';
import { inSlices } from '../scheduling/in-slices.ts';
import { PeriodicTask } from '../scheduling/periodic-task.ts';
import { retryDelayMs } from '../scheduling/retry-delay.ts';
import type { SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { deleteSegment } from './delete-segment.ts';
import { type ExpireFacts, type ExpirePlan, expirableSegments } from './expirable-segments.ts';

/** What an {@link ExpireTask} works on and with. */
export interface ExpireTaskOptions {
  readonly context: TieringContext;
  readonly log: PartitionLogView;
  readonly workers: SlotPool;
}

/**
 * Removes from the remote tier what retention, the log start offset and dead epochs leave no use for;
 * again after `remote.log.manager.task.interval.ms`. The log start offset moves first, and durably, so
 * that no offset is ever readable whose data is gone (KAFKA-15352).
 */
export class ExpireTask {
  readonly #context: TieringContext;
  readonly #log: PartitionLogView;
  readonly #workers: SlotPool;
  readonly #task: PeriodicTask;
  #failures = 0;
  #error: unknown;

  constructor(options: ExpireTaskOptions) {
    this.#context = options.context;
    this.#log = options.log;
    this.#workers = options.workers;
    this.#task = new PeriodicTask({
      clock: options.context.clock,
      run: (signal) => this.#run(signal),
    });
  }

  /** The error of the latest run, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  start(): void {
    this.#task.start();
  }

  /** Makes the next run begin at once, unless one is under way. */
  hurry(): void {
    this.#task.hurry();
  }

  /** Aborts what is under way, and resolves when it has ended. */
  stop(reason: unknown): Promise<void> {
    return this.#task.stop(reason);
  }

  async #run(signal: AbortSignal): Promise<number> {
    const { metadata, options, random } = this.#context;
    try {
      await metadata.whenReady(this.#log.topicIdPartition, { signal });
      await this.#expire(signal);
      this.#failures = 0;
      this.#error = undefined;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
    return retryDelayMs(options.retry, random, this.#failures, this.#error);
  }

  async #expire(signal: AbortSignal): Promise<void> {
    const plan = await this.#plan(signal);
    if (plan.logStartOffset > this.#log.logStartOffset) {
      await this.#log.advanceLogStartOffset(plan.logStartOffset);
    }
    let bytes = plan.deletions.reduce((sum, { segment }) => sum + segment.segmentSizeInBytes, 0);
    let segments = plan.deletions.length;
    this.#publishDeleteLag(bytes, segments);
    if (segments === 0) return;
    const slot = await this.#workers.acquire(signal);
    try {
      for (const { segment, reason } of plan.deletions) {
        signal.throwIfAborted();
        await deleteSegment(this.#context, segment, signal);
        bytes -= segment.segmentSizeInBytes;
        segments -= 1;
        this.#publishDeleteLag(bytes, segments);
        this.#context.logger.debug('A remote segment was removed', {
          segment: segment.remoteLogSegmentId.id,
          startOffset: segment.startOffset,
          endOffset: segment.endOffset,
          reason,
        });
      }
    } finally {
      slot.release();
    }
  }

  async #plan(signal: AbortSignal): Promise<ExpirePlan> {
    const { clock, metrics } = this.#context;
    const partition = this.#log.topicIdPartition;
    const beganMs = clock.monotonic();
    for (;;) {
      const facts = this.#facts();
      const plan = await inSlices(expirableSegments(facts), clock, signal);
      const { retentionBytes, retentionMs } = this.#log.config;
      // Who raises a limit while a long plan is made must not lose what the old one would take.
      if (retentionBytes !== facts.retentionBytes || retentionMs !== facts.retentionMs) continue;
      metrics.set('sizeComputationTime', partition, clock.monotonic() - beganMs);
      metrics.set('metadataCount', partition, facts.remote.length);
      metrics.set('sizeBytes', partition, plan.finishedBytes);
      return plan;
    }
  }

  /** All of one moment: what this process works on is no left-over then. */
  #facts(): ExpireFacts {
    const { clock, metadata, options, brokerId, inFlight } = this.#context;
    const log = this.#log;
    const highestRemoteOffset = seedHighestRemoteOffset(log, metadata);
    return {
      remote: metadata.listRemoteLogSegments(log.topicIdPartition),
      local: log.segments(),
      lineage: log.leaderEpochs,
      logStartOffset: log.logStartOffset,
      logEndOffset: log.logEndOffset,
      highWatermark: log.highWatermark,
      highestRemoteOffset,
      retentionMs: log.config.retentionMs,
      retentionBytes: log.config.retentionBytes,
      nowMs: clock.now(),
      brokerId,
      danglingGraceMs: options.danglingGraceMs,
      flightOf: inFlight.snapshot(),
    };
  }

  #publishDeleteLag(bytes: number, segments: number): void {
    const partition = this.#log.topicIdPartition;
    this.#context.metrics.set('deleteLagBytes', partition, bytes);
    this.#context.metrics.set('deleteLagSegments', partition, segments);
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    this.#error = error;
    if (isRemoteLogError(error, 'LOGLOFT_RLM_NOT_READY')) return;
    const { topic, partition } = this.#log.topicIdPartition;
    this.#context.logger.warn('Expiring from the remote tier failed, and is tried again', {
      topic,
      partition,
      failures: this.#failures,
      error,
    });
  }
}
