import { dirname, join } from 'node:path';
import { replaceFile } from '../checkpoint-file.ts';
import { LogStorageError, storageErrorOf } from '../errors.ts';
import { LEADER_EPOCH_FILE } from '../leader-epochs.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { PARTITION_METADATA_FILE, printPartitionMetadata } from '../partition-metadata.ts';
import { segmentFileName } from '../segment-files.ts';

/** Who waits for a sync: the end of a turn's batches, and what to tell. */
export interface SyncWaiter {
  readonly endOffset: number;
  resolve(): void;
  reject(error: LogStorageError): void;
}

/** A point of the log up to which everything was written. */
interface WrittenPoint {
  readonly offset: number;
  readonly segment: LogSegment;
  readonly position: number;
}

/**
 * Makes what is written survive a power cut. One run at a time; what is asked for during a run is
 * done by the next one, so that all who wait share a sync (group commit). First the data, after
 * which the high watermark moves and waiters are told; then indexes, snapshots and epochs, after
 * which the recovery point moves.
 */
export class LogFlusher {
  readonly #state: LogState;
  #waiters: SyncWaiter[] = [];
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** The data below it is synced. */
  #syncedOffset = 0;
  /** A sync failed: what the kernel still holds is unknown, so nothing later counts as safe. */
  #syncFailure: LogStorageError | undefined;
  #isDiskUnknown = false;
  /** Monotonic ms of the last run. */
  lastFlushMs: number;

  constructor(state: LogState) {
    this.#state = state;
    this.#syncedOffset = state.recoveryPoint;
    this.lastFlushMs = state.runtime.clock.monotonic();
  }

  /** Begins a flush of what is written so far, in the background. */
  request(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Tells the waiter when its offsets are synced. */
  wait(waiter: SyncWaiter): void {
    this.#waiters.push(waiter);
    this.request();
  }

  /**
   * Flushes what is written so far.
   *
   * @throws LogStorageError when the file system refuses; the recovery point stays
   */
  async flush(): Promise<void> {
    const target = this.#state.logEndOffset;
    await this.#running;
    this.request();
    await this.#running;
    const { recoveryPoint, name } = this.#state;
    if (recoveryPoint >= target) return;
    throw (
      this.#syncFailure ??
      new LogStorageError(`${name} could not be flushed beyond offset ${recoveryPoint}`, {
        partition: name,
      })
    );
  }

  /** Does `work` while no flush runs: what it takes back was not being synced. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    const done = work();
    this.#running = done.then(
      () => this.#run(),
      () => this.#run(),
    );
    await done;
  }

  /** What was synced or stored beyond `offset` is cut away. */
  onTruncate(offset: number): void {
    this.#syncedOffset = Math.min(this.#syncedOffset, offset);
  }

  async #run(): Promise<void> {
    // Let the turn that asks end first: its other batches are part of this run then.
    await Promise.resolve();
    while (this.#isWanted) {
      this.#isWanted = false;
      const { active, logEndOffset } = this.#state;
      const point = { offset: logEndOffset, segment: active, position: active.size };
      this.lastFlushMs = this.#state.runtime.clock.monotonic();
      const isSynced = await this.#syncData(point);
      if (isSynced) await this.#state.runtime.stores.run(() => this.#storeState(point));
    }
    this.#running = undefined;
  }

  async #syncData(point: WrittenPoint): Promise<boolean> {
    const { runtime, name } = this.#state;
    try {
      if (this.#syncFailure !== undefined) throw this.#syncFailure;
      await runtime.flushes.run(() => this.#sync(point.offset));
    } catch (error) {
      runtime.statistics.flushFailures += 1;
      const failure =
        error instanceof LogStorageError ? error : storageErrorOf(error, 'syncing a log', name);
      if (this.#isDiskUnknown) this.#failSync(failure);
      else this.#failRun(failure);
      return false;
    }
    this.#syncedOffset = Math.max(this.#syncedOffset, point.offset);
    this.#tellWaiters(point);
    return true;
  }

  async #sync(offset: number): Promise<void> {
    const { runtime, segments, directory, active, isDirectoryDurable } = this.#state;
    if (this.#syncedOffset >= offset && isDirectoryDurable && active.nameIsDurable) return;
    const first = Math.max(0, segments.floorIndex(this.#syncedOffset));
    const unsynced = segments.all.slice(first).filter((segment) => segment.baseOffset < offset);
    for (const segment of unsynced) {
      if (segment.isRetired) continue;
      segment.acquire();
      try {
        const file = await segment.open();
        await this.#reachDisk(() => file.sync());
        runtime.statistics.syncs += 1;
      } finally {
        segment.release();
      }
    }
    const unnamed = [...unsynced, active].filter((segment) => !segment.nameIsDurable);
    if (isDirectoryDurable && unnamed.length === 0) return;
    await this.#syncNames(directory);
    for (const segment of unnamed) segment.nameIsDurable = true;
  }

  async #syncNames(directory: string): Promise<void> {
    const { runtime, topicId } = this.#state;
    const { fs } = runtime;
    const isDurable = this.#state.isDirectoryDurable;
    if (!isDurable) {
      // A new partition is made without waiting for the disk; its first flush makes up for that.
      const metadata = Buffer.from(printPartitionMetadata(topicId));
      await fs.writeFile(join(directory, PARTITION_METADATA_FILE), metadata);
    }
    await this.#reachDisk(() => fs.syncDirectory(directory));
    if (isDurable) return;
    await this.#reachDisk(() => fs.syncDirectory(dirname(directory)));
    this.#state.isDirectoryDurable = true;
  }

  #tellWaiters(point: WrittenPoint): void {
    const state = this.#state;
    const waiters = this.#takeWaiters();
    if (point.offset > state.highWatermark) {
      state.raiseHighWatermark(point.offset, point.segment, point.position);
      state.notify('append');
    }
    for (const waiter of waiters) {
      if (waiter.endOffset <= point.offset) waiter.resolve();
      else this.#waiters.push(waiter);
    }
    if (this.#waiters.length > 0) this.#isWanted = true;
  }

  /** Runs a sync. Of all that may fail, only this leaves it open what the disk has. */
  async #reachDisk(sync: () => Promise<void>): Promise<void> {
    try {
      await sync();
    } catch (error) {
      this.#isDiskUnknown = true;
      throw error;
    }
  }

  /** No sync failed, but what leads to one (no room, no descriptors): the next run begins anew. */
  #failRun(failure: LogStorageError): void {
    const { runtime, name } = this.#state;
    runtime.logger.warn(`Flushing ${name} failed; it is tried again`, { error: failure });
    for (const waiter of this.#takeWaiters()) waiter.reject(failure);
  }

  #takeWaiters(): SyncWaiter[] {
    const waiters = this.#waiters;
    this.#waiters = [];
    return waiters;
  }

  #failSync(failure: LogStorageError): void {
    const state = this.#state;
    state.runtime.logger.error(`Flushing ${state.name} failed`, { error: failure });
    this.#syncFailure = failure;
    const waiters = this.#takeWaiters();
    if (waiters.length === 0) return;
    // What was promised cannot be kept any more: the pages may be lost though a later sync succeeds.
    state.refusal = new LogStorageError(
      `${state.name} takes no more batches since a sync failed; open it again to recover`,
      { cause: failure, partition: state.name },
    );
    for (const waiter of waiters) waiter.reject(failure);
  }

  async #storeState(point: WrittenPoint): Promise<void> {
    const state = this.#state;
    try {
      await this.#storeSegments();
      await this.#storeEpochs();
    } catch (error) {
      state.runtime.statistics.flushFailures += 1;
      state.runtime.logger.warn(`Storing the indexes of ${state.name} failed; tried again later`, {
        error: storageErrorOf(error, 'storing indexes', state.name),
      });
      return;
    }
    state.recoveryPoint = Math.max(state.recoveryPoint, point.offset);
  }

  async #storeSegments(): Promise<void> {
    const { segments } = this.#state;
    // The last one is the active one, whose indexes are stored when it rolls or the log closes.
    const waiting: LogSegment[] = [];
    for (let index = 0; index < segments.count - 1; index += 1) {
      const segment = segments.at(index);
      if (segment?.indexesStored === false) waiting.push(segment);
    }
    for (const segment of waiting) await this.#storeSegment(segment);
  }

  /** Stores the indexes of a rolled segment, and the producer snapshot at its end. */
  async #storeSegment(segment: LogSegment): Promise<void> {
    if (segment.isRetired) return;
    const { segments, runtime } = this.#state;
    const next = segments.all[segments.all.indexOf(segment) + 1];
    const snapshot = segment.snapshotToStore;
    if (snapshot !== undefined && next !== undefined) {
      await runtime.fs.writeFile(next.path('snapshot'), snapshot);
      segment.snapshotToStore = undefined;
    }
    await segment.storeIndexes();
  }

  /** Stores the producer state at the log's end, so that the next start need not read for it. */
  async storeProducers(): Promise<void> {
    const { runtime, directory, logEndOffset, producers, storedSnapshotOffset } = this.#state;
    if (storedSnapshotOffset === logEndOffset) return;
    const path = join(directory, segmentFileName(logEndOffset, 'snapshot'));
    await runtime.fs.writeFile(path, producers.snapshot());
    this.#state.storedSnapshotOffset = logEndOffset;
  }

  async #storeEpochs(): Promise<void> {
    const { epochs, epochsAreStored, runtime, directory } = this.#state;
    if (epochsAreStored) return;
    const { version } = epochs;
    await replaceFile(runtime.fs, join(directory, LEADER_EPOCH_FILE), epochs.print());
    this.#state.storedEpochsVersion = version;
  }
}
