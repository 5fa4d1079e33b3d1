import { join } from 'node:path';
import { nextOffsetOf } from '@logloft/records';
import { LogClosedError, LogCorruptError } from './errors.ts';
import { HeaderScan } from './header-scan.ts';
import { HeatMarks } from './heat-marks.ts';
import { OffsetIndex } from './index/offset-index.ts';
import { TimeIndex } from './index/time-index.ts';
import { TransactionIndex } from './index/transaction-index.ts';
import { type SegmentFileKind, segmentFileName } from './segment-files.ts';
import type { FileSystem, LogFile } from './store/file-system.ts';

const OFFSET_ENTRY_BYTES = 8;
const TIME_ENTRY_BYTES = 12;

/** Where a segment lives and begins. */
export interface LogSegmentOptions {
  readonly fs: FileSystem;
  readonly directory: string;
  readonly baseOffset: number;
  /** Wall-clock ms: the age of a segment without records counts from here. */
  readonly createdMs: number;
}

/** A run of batches in one file, with its indexes. */
export class LogSegment {
  readonly baseOffset: number;
  readonly createdMs: number;
  readonly heat: HeatMarks = new HeatMarks();
  /** Bytes written. */
  size = 0;
  /** Greatest timestamp of a record; -1 without one. */
  maxTimestamp = -1;
  /** Last offset of the batch that has it. */
  maxTimestampOffset: number;
  /** Max timestamp of the first batch, from which `segment.ms` counts; undefined without one. */
  firstTimestamp: number | undefined;
  /** Wall-clock ms of the last append. */
  modifiedMs: number;
  /** `index.interval.bytes` as it is now. */
  indexIntervalBytes = 4096;
  /** Whether the index files hold what the indexes in memory do. */
  indexesStored = false;
  /** Whether a stored index was found damaged: reading scans instead, and it is not tiered. */
  indexDamaged = false;
  /** Whether a power cut leaves the names of the files in place. */
  nameIsDurable = false;
  /** The producer snapshot at the segment's end that is still to be stored. */
  snapshotToStore: Buffer | undefined;

  readonly #fs: FileSystem;
  readonly #directory: string;
  #file: LogFile | undefined;
  #offsetIndex: OffsetIndex | undefined;
  #timeIndex: TimeIndex | undefined;
  #transactionIndex: TransactionIndex | undefined;
  #bytesSinceIndexEntry = 0;
  #mustCut = false;
  #users = 0;
  #onUnused: (() => void) | undefined;
  #isRemoved = false;
  /** Where the log file is since it was renamed to be removed. */
  #removedPath: string | undefined;

  constructor(options: LogSegmentOptions) {
    this.#fs = options.fs;
    this.#directory = options.directory;
    this.baseOffset = options.baseOffset;
    this.maxTimestampOffset = options.baseOffset;
    this.createdMs = options.createdMs;
    this.modifiedMs = options.createdMs;
  }

  /** Makes a new segment with an empty file. @throws what the file system throws */
  static create(options: LogSegmentOptions): LogSegment {
    const segment = new LogSegment(options);
    const file = options.fs.openSync(segment.path('log'), 'create');
    // What an earlier segment of that base left, if it was cut away and not yet removed.
    if (file.size() > 0) file.truncate(0);
    segment.#file = file;
    segment.resetIndexes();
    return segment;
  }

  /** Path of one of the segment's files. */
  path(kind: SegmentFileKind): string {
    return join(this.#directory, segmentFileName(this.baseOffset, kind));
  }

  /** The open file, or nothing after it was closed to spare descriptors. */
  get file(): LogFile | undefined {
    return this.#file;
  }

  /** The file, opened now if need be. */
  openSync(): LogFile {
    this.#checkUsable();
    this.#file ??= this.#fs.openSync(this.#removedPath ?? this.path('log'), 'existing');
    return this.#file;
  }

  /** The file, opened away from the main thread if need be. */
  async open(): Promise<LogFile> {
    if (this.#file !== undefined) return this.#file;
    this.#checkUsable();
    const file = await this.#fs.open(this.#removedPath ?? this.path('log'));
    if (this.#file === undefined) this.#file = file;
    else await file.close();
    return this.#file;
  }

  get offsetIndex(): OffsetIndex {
    this.#offsetIndex ??= this.#load('index', (bytes) => new OffsetIndex(this.baseOffset, bytes));
    return this.#offsetIndex;
  }

  get timeIndex(): TimeIndex {
    this.#timeIndex ??= this.#load('timeindex', (bytes) => new TimeIndex(this.baseOffset, bytes));
    return this.#timeIndex;
  }

  get transactionIndex(): TransactionIndex {
    this.#transactionIndex ??= this.#load('txnindex', (bytes) => new TransactionIndex(bytes));
    return this.#transactionIndex;
  }

  /** Bytes that the indexes take in memory. */
  get indexBytes(): number {
    return (this.#offsetIndex?.allocatedBytes ?? 0) + (this.#timeIndex?.allocatedBytes ?? 0);
  }

  /** Begins the indexes anew, whatever is stored. */
  resetIndexes(): void {
    this.#offsetIndex = new OffsetIndex(this.baseOffset);
    this.#timeIndex = new TimeIndex(this.baseOffset);
    this.#transactionIndex = new TransactionIndex();
    this.#bytesSinceIndexEntry = 0;
    this.maxTimestamp = -1;
    this.maxTimestampOffset = this.baseOffset;
    this.firstTimestamp = undefined;
    this.indexesStored = false;
    this.indexDamaged = false;
  }

  /**
   * Makes the counters fit indexes that were loaded or cut, by a look at the headers after their
   * last entry: synchronous, but no more than `index.interval.bytes` and a batch.
   *
   * @returns the offset after the last batch, and where it ends
   */
  scanTail(): { readonly nextOffset: number; readonly soundBytes: number } {
    const file = this.openSync();
    const { position: from } = this.offsetIndex.last();
    this.maxTimestamp = this.timeIndex.lastTimestamp();
    this.maxTimestampOffset = this.timeIndex.lastOffset();
    this.#bytesSinceIndexEntry = this.size - from;
    this.firstTimestamp = undefined;
    const first = new HeaderScan(file, { end: this.size, windowBytes: 256 });
    if (first.next()) this.firstTimestamp = first.header.maxTimestamp;
    const scan = new HeaderScan(file, { from, end: this.size });
    let nextOffset = this.baseOffset;
    while (scan.next()) {
      nextOffset = nextOffsetOf(scan.header);
      this.noteTimestamp(scan.header.maxTimestamp, nextOffset - 1);
    }
    return { nextOffset, soundBytes: scan.nextPosition };
  }

  /** Cuts the segment at a batch's start: `position` and the `offset` that the batch had. */
  async truncate(position: number, offset: number): Promise<void> {
    const file = await this.open();
    this.offsetIndex.truncateTo(offset);
    this.timeIndex.truncateTo(offset);
    this.transactionIndex.truncateTo(offset);
    this.heat.truncate(position);
    this.indexesStored = false;
    this.snapshotToStore = undefined;
    this.size = position;
    await file.truncateAsync(position);
    await file.sync();
    this.scanTail();
  }

  /** Frees the memory of stored indexes, which are loaded again when asked for. The one of aborted
   * transactions is tiny, and stays. */
  unloadIndexes(): void {
    if (!this.indexesStored) return;
    this.#offsetIndex = undefined;
    this.#timeIndex = undefined;
  }

  /** Whether an index has no room left in a file of `segment.index.bytes`. */
  isIndexFull(indexBytes: number): boolean {
    return (
      this.offsetIndex.count >= Math.floor(indexBytes / OFFSET_ENTRY_BYTES) ||
      this.timeIndex.count >= Math.floor(indexBytes / TIME_ENTRY_BYTES) - 1
    );
  }

  /**
   * Appends bytes at the end of the file: all of them, or none.
   *
   * @throws what the file system throws; the file is then cut back, now or before the next write
   */
  write(buffers: readonly Uint8Array[], bytes: number): void {
    const file = this.openSync();
    if (this.#mustCut) this.#cutBack(file);
    let written = 0;
    let rest = buffers;
    try {
      for (;;) {
        const step = file.writev(rest, this.size + written);
        if (step <= 0) throw new Error(`The file system took 0 of ${bytes - written} bytes`);
        written += step;
        if (written >= bytes) break;
        rest = buffersFrom(buffers, written);
      }
    } catch (error) {
      this.#mustCut = true;
      try {
        this.#cutBack(file);
      } catch {
        // It is tried again before the next write; until then nothing reads past the size.
      }
      throw error;
    }
    this.size += bytes;
    this.indexesStored = false;
  }

  /** Cuts what a failed write left. A few bytes past the end: this takes microseconds. */
  #cutBack(file: LogFile): void {
    file.truncate(this.size);
    this.#mustCut = false;
  }

  /** Takes a batch into the indexes; in the order of the batches, each once. */
  indexBatch(position: number, size: number, lastOffset: number, maxTimestamp: number): void {
    this.firstTimestamp ??= maxTimestamp;
    this.noteTimestamp(maxTimestamp, lastOffset);
    if (this.#bytesSinceIndexEntry > this.indexIntervalBytes) {
      this.offsetIndex.append(lastOffset, position);
      this.timeIndex.maybeAppend(this.maxTimestamp, this.maxTimestampOffset);
      this.#bytesSinceIndexEntry = 0;
    }
    this.#bytesSinceIndexEntry += size;
  }

  /** Notes a batch's greatest timestamp. */
  noteTimestamp(timestamp: number, offset: number): void {
    if (timestamp <= this.maxTimestamp) return;
    this.maxTimestamp = timestamp;
    this.maxTimestampOffset = offset;
  }

  /** No batch follows: the greatest timestamp gets its entry. */
  completeIndexes(): void {
    if (this.maxTimestamp >= 0) {
      this.timeIndex.maybeAppend(this.maxTimestamp, this.maxTimestampOffset);
    }
  }

  /** Writes the index files, and the producer snapshot at the segment's end if it waits. */
  async storeIndexes(): Promise<void> {
    if (this.indexesStored || this.#isRemoved) return;
    await this.#fs.writeFile(this.path('index'), this.offsetIndex.bytes());
    await this.#fs.writeFile(this.path('timeindex'), this.timeIndex.bytes());
    if (this.transactionIndex.count > 0) {
      await this.#fs.writeFile(this.path('txnindex'), this.transactionIndex.bytes());
    }
    this.indexesStored = true;
  }

  /** Keeps the file in place until as many calls of {@link LogSegment.release} follow. */
  acquire(): void {
    this.#checkUsable();
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#onUnused?.();
  }

  get isInUse(): boolean {
    return this.#users > 0;
  }

  /**
   * From now on only who uses the segment may go on with it; resolves when the last one is gone.
   *
   * @param renamedTo where its log file is now
   */
  async retire(renamedTo?: string | undefined): Promise<void> {
    this.#isRemoved = true;
    this.#removedPath = renamedTo;
    if (this.#users === 0) return;
    await new Promise<void>((resolve) => {
      this.#onUnused = resolve;
    });
  }

  get isRetired(): boolean {
    return this.#isRemoved;
  }

  /** Closes the file, if it is open and not in use; it opens again when needed. */
  async closeFile(): Promise<void> {
    if (this.isInUse) return;
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #load<T>(kind: SegmentFileKind, parse: (bytes: Buffer | undefined) => T): T {
    try {
      return parse(this.#fs.readFileSync(this.path(kind)));
    } catch (error) {
      if (!(error instanceof LogCorruptError)) throw error;
      this.indexDamaged = true;
      return parse(undefined);
    }
  }

  #checkUsable(): void {
    if (!this.#isRemoved || this.isInUse) return;
    throw new LogClosedError(`The segment at ${this.path('log')} was removed; read anew`);
  }
}

/** What is left of the buffers after their first `skip` bytes. */
function buffersFrom(buffers: readonly Uint8Array[], skip: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let before = 0;
  for (const buffer of buffers) {
    const from = Math.max(0, skip - before);
    if (from < buffer.length) rest.push(from === 0 ? buffer : buffer.subarray(from));
    before += buffer.length;
  }
  return rest;
}
