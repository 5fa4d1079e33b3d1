import type { WriteQuotaManager } from '@logloft/quota';
import { isRemoteLogError } from '../errors.ts';
import type {
  LocalSegmentView,
  PartitionLogView,
  TieredTopicConfig,
} from '../partition-log-view.ts';
import { PeriodicTask } from '../scheduling/periodic-task.ts';
import { retryDelayMs } from '../scheduling/retry-delay.ts';
import type { Slot, SlotPool } from '../scheduling/slot-pool.ts';
import type { TieringContext } from '../tiering-context.ts';
import { type CopyLagFigures, copyLagOf } from './copy-lag.ts';
import { copySegment } from './copy-segment.ts';
import { type CopyPlan, eligibleSegments, isStillEligible } from './eligible-segments.ts';
import { seedHighestRemoteOffset } from './highest-remote-offset.ts';

/** How the latest run of a copy task ended, or what it waits for. */
export type CopyOutcome =
  /** No run has ended yet. */
  | 'starting'
  /** The catalogue of the partition is still being read. */
  | 'not-ready'
  /** Nothing is left to copy. */
  | 'up-to-date'
  /** The write quota is used up; the next run goes on. */
  | 'quota-exhausted'
  /** A copy failed; the next run tries again. */
  | 'failed'
  /** A copy failed in a way that would repeat for ever; nothing is copied until the next start. */
  | 'halted'
  /** The task was stopped. */
  | 'stopped';

/** What a copy task is at. */
export interface CopyTaskStatus {
  readonly outcome: CopyOutcome;
  /** The error of the latest run, if it failed. */
  readonly error: unknown;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** The segment under way: its base offset, and for how many ms it has been. */
  readonly copying: { readonly baseOffset: number; readonly forMs: number } | undefined;
}

/** What a {@link CopyTask} works on and with. */
export interface CopyTaskOptions {
  readonly context: TieringContext;
  readonly log: PartitionLogView;
  readonly writers: SlotPool;
  readonly quota: WriteQuotaManager;
}

/**
 * Copies what a partition has rolled, in order, until nothing is left or the write quota is used up;
 * again after `remote.log.manager.task.interval.ms`, and after failures later and later.
 */
export class CopyTask {
  readonly #context: TieringContext;
  readonly #log: PartitionLogView;
  readonly #writers: SlotPool;
  readonly #quota: WriteQuotaManager;
  readonly #task: PeriodicTask;
  #outcome: CopyOutcome = 'starting';
  #error: unknown;
  #failures = 0;
  #lag: CopyLagFigures = { bytes: 0, segments: 0 };
  /** Monotonic ms. */
  #lagFoundMs = 0;
  #copying: { readonly baseOffset: number; readonly sinceMs: number } | undefined;

  constructor(options: CopyTaskOptions) {
    this.#context = options.context;
    this.#log = options.log;
    this.#writers = options.writers;
    this.#quota = options.quota;
    this.#task = new PeriodicTask({
      clock: options.context.clock,
      run: (signal) => this.#run(signal),
    });
  }

  get status(): CopyTaskStatus {
    const copying = this.#copying && {
      baseOffset: this.#copying.baseOffset,
      forMs: this.#context.clock.monotonic() - this.#copying.sinceMs,
    };
    return { outcome: this.#outcome, error: this.#error, failures: this.#failures, copying };
  }

  start(): void {
    this.#task.start();
  }

  /** Makes the next run begin at once, unless one is under way. */
  hurry(): void {
    this.#task.hurry();
  }

  /** Aborts what is under way, and resolves when it has ended. */
  async stop(reason: unknown): Promise<void> {
    await this.#task.stop(reason);
    this.#outcome = 'stopped';
  }

  /** What would be copied now, and why the other segments would not. */
  plan(): CopyPlan<LocalSegmentView> {
    const { config, logStartOffset, lastStableOffset, highestOffsetInRemoteStorage } = this.#log;
    return eligibleSegments({
      segments: this.#log.segments(),
      config,
      logStartOffset,
      lastStableOffset,
      copiedOffset: highestOffsetInRemoteStorage,
      nowMs: this.#context.clock.now(),
    });
  }

  async #run(signal: AbortSignal): Promise<number> {
    const { metadata, options, random } = this.#context;
    try {
      if (this.#outcome !== 'halted') {
        if (!metadata.isReady(this.#log.topicIdPartition)) this.#outcome = 'not-ready';
        await metadata.whenReady(this.#log.topicIdPartition, { signal });
        seedHighestRemoteOffset(this.#log, metadata);
        this.#outcome = await this.#copyEligible(signal);
      }
      this.#error = this.#outcome === 'halted' ? this.#error : undefined;
      this.#failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    } finally {
      // Also after failures: a lag that stands still during an outage warns nobody (KAFKA-19995).
      if (!signal.aborted) this.#findLag();
    }
    return retryDelayMs(options.retry, random, this.#failures, this.#error);
  }

  /** Copies until a new plan has nothing left, so that what is rolled meanwhile goes, too. */
  async #copyEligible(signal: AbortSignal): Promise<CopyOutcome> {
    if (this.plan().eligible.length === 0) return 'up-to-date';
    this.#findLag();
    const slot = await this.#writers.acquire(signal);
    try {
      for (;;) {
        const { config } = this.#log;
        const { eligible } = this.plan();
        if (eligible.length === 0) return 'up-to-date';
        for (const [at, segment] of eligible.entries()) {
          // A plan goes over the whole log; in a long backlog it would cost more than the copies.
          if (at > 0 && !this.#isStillPlanned(segment, config)) break;
          if (!(await this.#copyOrPass(segment, slot, signal))) return 'quota-exhausted';
          this.#lessLag(segment);
        }
      }
    } finally {
      slot.release();
    }
  }

  /** Whether nothing has changed since the plan that would keep its segment from being copied. */
  #isStillPlanned(segment: LocalSegmentView, plannedUnder: TieredTopicConfig): boolean {
    const { config, logStartOffset, lastStableOffset, highestOffsetInRemoteStorage } = this.#log;
    const facts = {
      config,
      logStartOffset,
      lastStableOffset,
      copiedOffset: highestOffsetInRemoteStorage,
    };
    return config === plannedUnder && isStillEligible(segment, facts);
  }

  /** @returns false when the quota does not allow it now */
  async #copyOrPass(segment: LocalSegmentView, slot: Slot, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#copyUnderQuota(segment, slot, signal);
    } catch (error) {
      // A segment that expired meanwhile need not be copied any more; that it is gone is no failure.
      if (signal.aborted || segment.nextOffset > this.#log.logStartOffset) throw error;
      return true;
    }
  }

  /** @returns false when the quota does not allow it now */
  async #copyUnderQuota(
    segment: LocalSegmentView,
    slot: Slot,
    signal: AbortSignal,
  ): Promise<boolean> {
    const bytes = segment.sizeInBytes;
    const permit = await this.#quota.admit({ writer: `${slot.index}`, bytes, signal });
    if (permit === undefined) return false;
    let moved = 0;
    this.#copying = {
      baseOffset: segment.baseOffset,
      sinceMs: this.#context.clock.monotonic(),
    };
    try {
      const finished = await copySegment(this.#context, {
        log: this.#log,
        segment,
        signal,
        pacer: permit.pacer,
        onProgress: (more) => {
          moved += more;
        },
      });
      moved = bytes;
      this.#log.updateHighestOffsetInRemoteStorage(finished.endOffset);
      this.#context.metrics.mark('copyBytes', this.#log.topicIdPartition.topic, bytes);
      return true;
    } finally {
      // What a failed copy has sent counts, too: the limit is there for the network.
      permit.settle(Math.min(moved, bytes));
      this.#copying = undefined;
    }
  }

  #failed(error: unknown): void {
    const { topic, partition } = this.#log.topicIdPartition;
    this.#failures += 1;
    this.#error = error;
    this.#outcome = isRemoteLogError(error, 'LOGLOFT_RLM_CUSTOM_METADATA_TOO_LARGE')
      ? 'halted'
      : 'failed';
    if (isRemoteLogError(error, 'LOGLOFT_RLM_NOT_READY')) return;
    this.#context.metrics.mark('copyErrors', topic);
    this.#context.logger.warn('Copying to the remote tier failed', {
      topic,
      partition,
      failures: this.#failures,
      triedAgain: this.#outcome === 'failed',
      error,
    });
  }

  /** Finds out, and publishes, how much waits for its copy. */
  #findLag(): void {
    this.#lag = copyLagOf(this.#log.segments(), this.#log.highestOffsetInRemoteStorage);
    this.#lagFoundMs = this.#context.clock.monotonic();
    this.#publishLag();
  }

  /** One segment less waits. What was rolled meanwhile is looked for once an interval. */
  #lessLag({ sizeInBytes }: LocalSegmentView): void {
    const { clock, options } = this.#context;
    if (clock.monotonic() - this.#lagFoundMs >= options.taskIntervalMs) {
      this.#findLag();
      return;
    }
    const { bytes, segments } = this.#lag;
    this.#lag = { bytes: Math.max(0, bytes - sizeInBytes), segments: Math.max(0, segments - 1) };
    this.#publishLag();
  }

  #publishLag(): void {
    const { metrics } = this.#context;
    const partition = this.#log.topicIdPartition;
    metrics.set('copyLagBytes', partition, this.#lag.bytes);
    metrics.set('copyLagSegments', partition, this.#lag.segments);
  }
}
