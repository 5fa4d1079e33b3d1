import { join } from 'node:path';
import { type BatchHeader, isControl } from '@logloft/records';
import { LogCorruptError } from '../errors.ts';
import { HeaderScan } from '../header-scan.ts';
import { TimeIndex } from '../index/time-index.ts';
import { LEADER_EPOCH_FILE, LeaderEpochs } from '../leader-epochs.ts';
import { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { readTransactionMarker } from '../producer/transaction-marker.ts';
import { segmentFileName } from '../segment-files.ts';
import { type DirectoryContents, sortDirectory } from './directory-contents.ts';
import { recoverSegment } from './recover-segment.ts';
import { RecoveryNotes, type RecoveryReport } from './recovery-report.ts';

/** What is known of a log before its files are looked at. */
export interface LoadOptions {
  /** Whether the last stop was a clean one: files are then trusted. */
  readonly isClean: boolean;
  /** From the checkpoint; 0 without one. */
  readonly recoveryPoint: number;
  /** From the checkpoint; undefined without one. */
  readonly logStartOffset: number | undefined;
}

/**
 * Opens the files of a partition, after Kafka's rules (LogLoader): what lies after the recovery
 * point is read and checked, cut at the first batch that is not sound, its indexes, epochs and
 * producer state built anew. Synchronous: it runs before the log is served.
 */
export function loadLog(state: LogState, options: LoadOptions): RecoveryReport {
  return new LogLoader(state, options).run();
}

const REPLAY_WINDOW_BYTES = 64 * 1024;

class LogLoader {
  readonly #state: LogState;
  readonly #options: LoadOptions;
  readonly #contents: DirectoryContents;
  readonly #notes = new RecoveryNotes();
  readonly #nowMs: number;
  /** The producer state is right up to here. */
  #producersAt = 0;
  #logEndOffset = 0;

  constructor(state: LogState, options: LoadOptions) {
    this.#state = state;
    this.#options = options;
    this.#contents = sortDirectory(state.runtime.fs.listSync(state.directory));
    this.#nowMs = state.runtime.clock.now();
  }

  run(): RecoveryReport {
    const { directory, runtime, name } = this.#state;
    const { leftovers } = this.#contents;
    if (leftovers.length > 0) {
      runtime.disposal.disposeFiles(leftovers.map((leftover) => join(directory, leftover)));
    }
    this.#loadEpochs();
    for (const baseOffset of this.#contents.segments) this.#openSegment(baseOffset);
    const isRecovered = this.#recover();
    this.#finish();
    return this.#notes.report(name, isRecovered);
  }

  #loadEpochs(): void {
    const { runtime, directory, name } = this.#state;
    const text = runtime.fs.readFileSync(join(directory, LEADER_EPOCH_FILE));
    if (text === undefined) return;
    try {
      this.#state.epochs = LeaderEpochs.parse(text.toString());
      // What recovery finds beyond it has to be stored, though nothing may be appended any more.
      this.#state.storedEpochsVersion = this.#state.epochs.version;
    } catch (error) {
      if (!(error instanceof LogCorruptError)) throw error;
      runtime.logger.warn(`The leader epochs of ${name} are damaged; built anew`, { error });
    }
  }

  #openSegment(baseOffset: number): void {
    const { runtime, directory, segments, config } = this.#state;
    const segment = new LogSegment({
      fs: runtime.fs,
      directory,
      baseOffset,
      createdMs: this.#nowMs,
    });
    const facts = runtime.fs.statSync(segment.path('log'));
    segment.size = facts?.size ?? 0;
    segment.modifiedMs = facts?.modifiedMs ?? this.#nowMs;
    segment.indexIntervalBytes = config.indexIntervalBytes;
    // A clean stop has synced it.
    segment.nameIsDurable = this.#options.isClean;
    segments.add(segment);
  }

  /** Scans what is not known to be sound. */
  #recover(): boolean {
    const { segments } = this.#state;
    const firstUnsafe = this.#firstUnsafeIndex();
    const firstScanned = Math.min(firstUnsafe, Math.max(0, segments.count - 1));
    const { isClean } = this.#options;
    // After a clean stop the snapshot at the log's end is right; after a crash none behind the scan.
    const limit = isClean ? Number.MAX_SAFE_INTEGER : (segments.at(firstScanned)?.baseOffset ?? 0);
    this.#loadProducers(limit);
    let isRecovered = false;
    for (let index = 0; index < segments.count; index += 1) {
      const segment = segments.at(index);
      if (segment === undefined) break;
      if (index < firstUnsafe && this.#takeTrusted(segment, index)) continue;
      if (index < firstUnsafe) this.#notes.indexesRebuilt += 1;
      else isRecovered = true;
      const isHole = index > firstUnsafe && segment.baseOffset !== this.#logEndOffset;
      if (isHole && !this.#state.config.cleanupCompact) {
        this.#cutAtHole(index);
        break;
      }
      if (!this.#scan(segment, index)) break;
    }
    return isRecovered;
  }

  #firstUnsafeIndex(): number {
    const { segments } = this.#state;
    if (this.#options.isClean) return segments.count;
    // The segment with the last safe offset was the active one perhaps, its stored indexes old.
    return Math.max(0, segments.floorIndex(this.#options.recoveryPoint - 1));
  }

  /** Takes a segment over with its stored indexes; false when they, or its end, are not sound. */
  #takeTrusted(segment: LogSegment, index: number): boolean {
    const { segments, runtime } = this.#state;
    const stored = runtime.fs.statSync(segment.path('index'));
    const storedTimes = runtime.fs.statSync(segment.path('timeindex'));
    if (stored === undefined || storedTimes === undefined) return false;
    if (stored.size % 8 !== 0 || storedTimes.size % 12 !== 0) return false;
    if (segment.size > 0 && storedTimes.size === 0) return false;
    segment.indexesStored = true;
    if (index < segments.count - 1) {
      this.#readLastTime(segment, storedTimes.size);
      this.#logEndOffset = segments.nextOffset(index, 0);
      return true;
    }
    const isWithin = segment.offsetIndex.last().position < Math.max(1, segment.size);
    if (!isWithin || segment.timeIndex.lastOffset() < segment.baseOffset || segment.indexDamaged) {
      return false;
    }
    const { nextOffset, soundBytes } = segment.scanTail();
    if (soundBytes !== segment.size) return false;
    this.#logEndOffset = nextOffset;
    return true;
  }

  /** The greatest timestamp is the last entry's; the rest of the file is read when it is needed. */
  #readLastTime(segment: LogSegment, indexBytes: number): void {
    if (indexBytes === 0) return;
    const file = this.#state.runtime.fs.openSync(segment.path('timeindex'), 'existing');
    const entry = Buffer.alloc(12);
    file.read(entry, 0, entry.length, indexBytes - entry.length);
    const last = new TimeIndex(segment.baseOffset, entry);
    segment.maxTimestamp = last.lastTimestamp();
    segment.maxTimestampOffset = last.lastOffset();
    file.close().catch((error: unknown) => {
      this.#state.runtime.logger.warn('Closing an index failed', { error });
    });
  }

  /** Reads a segment through; false when it had to be cut, and the later ones removed. */
  #scan(segment: LogSegment, index: number): boolean {
    const { segments } = this.#state;
    this.#replayTo(segment.baseOffset);
    const scan = recoverSegment(segment, (header, batch) => this.#visit(header, batch), {
      allowGaps: this.#state.config.cleanupCompact,
    });
    this.#logEndOffset = scan.nextOffset;
    this.#notes.segmentsScanned += 1;
    this.#notes.bytesScanned += segment.size;
    const next = segments.at(index + 1);
    if (next !== undefined && scan.reason === undefined) {
      segment.completeIndexes();
      segment.snapshotToStore = this.#state.producers.snapshot();
    }
    if (scan.reason === undefined) return true;
    this.#notes.bytesCut += segment.size - scan.soundBytes;
    this.#notes.cutReason = `at ${scan.soundBytes} of ${segment.path('log')}: ${scan.reason}`;
    segment.openSync().truncate(scan.soundBytes);
    segment.size = scan.soundBytes;
    this.#removeFrom(index + 1);
    return false;
  }

  /**
   * A power cut may take the end of a segment, or its file, and leave a later one. What follows the
   * hole goes: of a log that is not compacted, what is left must be what was written first.
   */
  #cutAtHole(index: number): void {
    const next = this.#state.segments.at(index)?.baseOffset;
    this.#notes.cutReason = `at offset ${this.#logEndOffset}: the next segment begins at ${next}`;
    this.#removeFrom(index);
  }

  #removeFrom(index: number): void {
    const { segments, runtime, name } = this.#state;
    const later = segments.removeFrom(index);
    for (const segment of later) this.#notes.bytesCut += segment.size;
    this.#notes.segmentsRemoved += later.length;
    runtime.disposal.dispose(later, 0);
    const { cutReason, bytesCut, segmentsRemoved } = this.#notes;
    runtime.logger.warn(`${name} was cut ${cutReason}`, { bytesCut, segmentsRemoved });
  }

  #visit(header: BatchHeader, batch: Buffer): void {
    const { epochs } = this.#state;
    const { partitionLeaderEpoch, baseOffset } = header;
    if (partitionLeaderEpoch >= 0 && partitionLeaderEpoch > (epochs.latest?.epoch ?? -1)) {
      epochs.assign(partitionLeaderEpoch, baseOffset);
    }
    if (baseOffset >= this.#producersAt) this.#replay(header, batch);
  }

  /** Begins with the newest sound snapshot at or below `limit`. */
  #loadProducers(limit: number): void {
    const { producers, runtime, directory, name } = this.#state;
    const usable = this.#contents.snapshots.filter((snapshot) => snapshot <= limit);
    for (const snapshot of usable.reverse()) {
      const path = join(directory, segmentFileName(snapshot, 'snapshot'));
      try {
        producers.load(runtime.fs.readFileSync(path), this.#nowMs);
        this.#producersAt = snapshot;
        this.#state.storedSnapshotOffset = snapshot;
        return;
      } catch (error) {
        if (!(error instanceof LogCorruptError)) throw error;
        runtime.logger.warn(`A producer snapshot of ${name} is damaged; an older one is used`, {
          error,
        });
        runtime.disposal.disposeFiles([path]);
      }
    }
    producers.load(undefined, this.#nowMs);
    this.#state.storedSnapshotOffset = -1;
    this.#producersAt = this.#state.segments.first?.baseOffset ?? 0;
  }

  /** Replays the headers between what the producers know and `offset`. */
  #replayTo(offset: number): void {
    const { segments } = this.#state;
    if (this.#producersAt >= offset) return;
    for (let index = Math.max(0, segments.floorIndex(this.#producersAt)); ; index += 1) {
      const segment = segments.at(index);
      if (segment === undefined || segment.baseOffset >= offset) break;
      const from = segment.offsetIndex.positionAtOrBefore(this.#producersAt);
      const scan = new HeaderScan(segment.openSync(), {
        from,
        end: segment.size,
        windowBytes: REPLAY_WINDOW_BYTES,
      });
      while (scan.next() && scan.header.baseOffset < offset) {
        if (scan.header.baseOffset >= this.#producersAt) {
          this.#replay(scan.header, scan.batchBytes());
        }
      }
    }
    this.#producersAt = offset;
  }

  #replay(header: BatchHeader, batch: Buffer): void {
    this.#producersAt = header.baseOffset + header.lastOffsetDelta + 1;
    if (header.producerId < 0) return;
    const isWholeMarker = isControl(header) && batch.length === header.sizeInBytes;
    const marker = isWholeMarker ? readTransactionMarker(batch) : undefined;
    const completed = this.#state.producers.apply(header, this.#nowMs, marker);
    if (completed?.aborted !== true) return;
    const { segments } = this.#state;
    const segment = segments.at(segments.floorIndex(completed.lastOffset));
    if (segment?.indexesStored === false) segment.transactionIndex.append(completed);
  }

  #finish(): void {
    const state = this.#state;
    if (this.#producersAt > this.#logEndOffset) this.#loadProducers(this.#logEndOffset);
    this.#replayTo(this.#logEndOffset);
    this.#rebuildEpochs();
    const checkpointed = this.#options.logStartOffset;
    if (state.segments.count > 0 && this.#logEndOffset < (checkpointed ?? 0)) {
      this.#startAnew(checkpointed ?? 0);
    }
    if (state.segments.count === 0) this.#addFirst(checkpointed ?? 0);
    const firstBase = state.segments.first?.baseOffset ?? 0;
    const start = checkpointed ?? firstBase;
    // On a tiered log the first offset is remote: the first local one would hide that (KAFKA-15351).
    state.logStartOffset = state.isTiered ? start : Math.max(start, firstBase);
    state.localLogStartOffset = Math.max(state.logStartOffset, firstBase);
    state.logEndOffset = this.#logEndOffset;
    state.recoveryPoint = this.#options.isClean
      ? this.#logEndOffset
      : Math.min(this.#options.recoveryPoint, this.#logEndOffset);
    state.isDirectoryDurable = this.#options.isClean;
    state.producers.commit();
    state.epochs.truncateFromEnd(this.#logEndOffset);
    state.epochs.truncateFromStart(state.logStartOffset);
    const { active } = state;
    active.openSync();
    state.raiseHighWatermark(this.#logEndOffset, active, active.size);
    this.#removeStraySnapshots();
  }

  /** Without a usable checkpoint the batches tell the epochs. */
  #rebuildEpochs(): void {
    const { epochs, segments } = this.#state;
    if (epochs.entries.length > 0) return;
    for (const segment of segments.all) {
      const end = segment.size;
      const scan = new HeaderScan(segment.openSync(), { end, windowBytes: REPLAY_WINDOW_BYTES });
      while (scan.next()) {
        const { partitionLeaderEpoch, baseOffset } = scan.header;
        if (partitionLeaderEpoch > (epochs.latest?.epoch ?? -1)) {
          epochs.assign(partitionLeaderEpoch, baseOffset);
        }
      }
    }
  }

  /** The checkpoint says that all of the log has expired: nothing of it may come back. */
  #startAnew(offset: number): void {
    const { segments, runtime, epochs, producers, name } = this.#state;
    runtime.logger.warn(
      `${name} ends at ${this.#logEndOffset}, before its start ${offset}; it begins there, empty`,
    );
    const old = segments.removeFrom(0);
    this.#notes.segmentsRemoved += old.length;
    runtime.disposal.dispose(old, 0);
    epochs.reset([]);
    this.#state.storedSnapshotOffset = -1;
    producers.load(undefined, this.#nowMs);
  }

  #addFirst(baseOffset: number): void {
    const { runtime, directory, segments } = this.#state;
    segments.add(
      LogSegment.create({ fs: runtime.fs, directory, baseOffset, createdMs: this.#nowMs }),
    );
    this.#logEndOffset = baseOffset;
  }

  #removeStraySnapshots(): void {
    const { segments, runtime, directory } = this.#state;
    const known = new Set(segments.all.map((segment) => segment.baseOffset));
    const newest = this.#contents.snapshots.findLast((offset) => offset <= this.#logEndOffset);
    const stray = this.#contents.snapshots.filter(
      (offset) => offset !== newest && !known.has(offset),
    );
    runtime.disposal.disposeFiles(
      stray.map((offset) => join(directory, segmentFileName(offset, 'snapshot'))),
    );
  }
}
