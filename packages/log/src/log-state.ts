import type { Clock, RandomSource } from '@logloft/clock';
import { LogClosedError, type LogError } from './errors.ts';
import type { AppendMeter } from './heat-marks.ts';
import { LeaderEpochs } from './leader-epochs.ts';
import type { LogConfig } from './log-config.ts';
import type { LogSegment } from './log-segment.ts';
import type { LogStatistics } from './log-statistics.ts';
import type { LogLogger } from './logger.ts';
import { ProducerState } from './producer/producer-state.ts';
import type { SegmentDisposal } from './segment-disposal.ts';
import { SegmentList } from './segment-list.ts';
import type { FileSystem } from './store/file-system.ts';
import type { TurnScheduler } from './turn-scheduler.ts';
import type { WorkLimiter } from './work-limiter.ts';

/** What all logs of a manager share. */
export interface LogRuntime {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: LogLogger;
  readonly turns: TurnScheduler;
  readonly appendMeter: AppendMeter;
  readonly statistics: LogStatistics;
  /** Flushes: at most 2 at a time. */
  readonly flushes: WorkLimiter;
  /** Writing of indexes and snapshots: one at a time, so that no sync waits for long. */
  readonly stores: WorkLimiter;
  /** Reads of what is not in memory: at most 3 at a time, of the thread pool's 4. */
  readonly coldReads: WorkLimiter;
  readonly disposal: SegmentDisposal;
  /** Notes the use of a rolled segment's file and indexes, and closes those of others. */
  touch(segment: LogSegment): void;
  /** Stores the recovery points, because one of them went back. */
  checkpointRecoveryPoints(): Promise<void>;
}

/** What changed in a log. */
export type LogChange = 'append' | 'log-start' | 'truncate' | 'closed';

/** Which log it is, and where. */
export interface LogIdentity {
  readonly topic: string;
  readonly partition: number;
  /** 22 characters of base64url. */
  readonly topicId: string;
  readonly directory: string;
}

/** What the parts of one partition log share: its segments, its offsets, its state. */
export class LogState {
  readonly topic: string;
  readonly partition: number;
  readonly topicId: string;
  /** `topic-partition`. */
  readonly name: string;
  directory: string;
  config: LogConfig;
  readonly runtime: LogRuntime;
  readonly segments: SegmentList = new SegmentList();
  epochs: LeaderEpochs = new LeaderEpochs();
  /** `epochs.version` as the checkpoint file has it; -1 while that file is missing or older. */
  storedEpochsVersion = -1;
  readonly producers: ProducerState;

  logStartOffset = 0;
  localLogStartOffset = 0;
  /** What is written: visible to readers of the log end. */
  logEndOffset = 0;
  /** What consumers see; with group commit what is synced. */
  highWatermark = 0;
  /** The segment that holds the high watermark, and the position there. */
  highWatermarkSegment: LogSegment | undefined;
  highWatermarkPosition = 0;
  /** All below it survives a power cut, with its indexes, epochs and producers. */
  recoveryPoint = 0;
  /** Inclusive; -1 while unknown. */
  highestOffsetInRemoteStorage = -1;
  /** Why nothing can be appended; undefined if it can. */
  refusal: LogError | undefined;
  isClosed = false;
  /** Whether the directory and what says its topic survive a power cut. */
  isDirectoryDurable = false;
  /** Offset of the newest stored snapshot that holds; -1 where unknown. */
  storedSnapshotOffset = -1;

  readonly #listeners = new Set<(change: LogChange) => void>();

  constructor(identity: LogIdentity, config: LogConfig, runtime: LogRuntime) {
    this.topic = identity.topic;
    this.partition = identity.partition;
    this.topicId = identity.topicId;
    this.name = `${identity.topic}-${identity.partition}`;
    this.directory = identity.directory;
    this.config = config;
    this.runtime = runtime;
    this.producers = new ProducerState(this.name);
  }

  /** The segment that is appended to. */
  get active(): LogSegment {
    const { last } = this.segments;
    if (last === undefined) throw new LogClosedError(`${this.name} has no segments any more`);
    return last;
  }

  get lastStableOffset(): number {
    const unstable = this.producers.firstUnstableOffset;
    return unstable === undefined ? this.highWatermark : Math.min(this.highWatermark, unstable);
  }

  /** Whether the checkpoint file has all epochs, also those whose segments are about to go. */
  get epochsAreStored(): boolean {
    return this.epochs.version === this.storedEpochsVersion;
  }

  /** Whether copying to the remote tier decides what may go. */
  get isTiered(): boolean {
    return this.config.remoteStorageEnable;
  }

  /** Moves the high watermark forward, to the end of what `segment` holds up to `position`. */
  raiseHighWatermark(offset: number, segment: LogSegment, position: number): void {
    if (offset < this.highWatermark) return;
    this.highWatermark = offset;
    this.highWatermarkSegment = segment;
    this.highWatermarkPosition = position;
    this.producers.onHighWatermark(offset);
  }

  /** Calls `listener` with every change; returns how to stop that. */
  subscribe(listener: (change: LogChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(change: LogChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // What a listener does wrong must not keep other logs from ending their turn.
        this.runtime.logger.error(`A listener of ${this.name} failed`, { error, change });
      }
    }
  }
}
