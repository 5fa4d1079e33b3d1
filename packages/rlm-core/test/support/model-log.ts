import { BatchBuilder, type BatchBuilderOptions } from '@logloft/records';
import type { LogSegmentData, SegmentSource, TopicIdPartition } from '@logloft/remote-storage';
import type {
  LeaderEpochEntry,
  LocalSegmentView,
  PartitionLogView,
  SegmentDataLease,
  TieredTopicConfig,
} from '../../src/index.ts';
import { orders3 } from './segments.ts';

export const tieredTopic: TieredTopicConfig = {
  remoteStorageEnable: true,
  remoteLogCopyDisable: false,
  retentionMs: -1,
  retentionBytes: -1,
  segmentBytes: 1000,
  localRetentionMs: 0,
  localRetentionBytes: 0,
};

/** Bytes in memory as a source, read in small pieces. */
function bytesSource(bytes: Uint8Array): SegmentSource {
  return {
    size: bytes.length,
    async *read({ start, end = bytes.length - 1 }) {
      for (let at = start; at <= end; at += 100) {
        yield bytes.subarray(at, Math.min(at + 100, end + 1));
      }
    },
  };
}

interface Batch {
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly timestampMs: number;
}

export interface AbortedEntry {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly lastStableOffset: number;
}

class ModelSegment implements LocalSegmentView {
  readonly batches: Batch[] = [];
  readonly aborted: AbortedEntry[] = [];
  active = true;
  hasProducerSnapshot = true;
  leases = 0;
  removed = false;
  /** Last offset, when compaction has removed the batch that had it. */
  compactedAway: number | undefined;
  damaged: 'log' | 'offsetIndex' | 'timeIndex' | undefined;
  readonly baseOffset: number;
  readonly #log: ModelLog;

  constructor(baseOffset: number, log: ModelLog) {
    this.baseOffset = baseOffset;
    this.#log = log;
  }

  get nextOffset(): number {
    if (this.compactedAway !== undefined) return this.compactedAway + 1;
    return (this.batches.at(-1)?.lastOffset ?? this.baseOffset - 1) + 1;
  }

  get sizeInBytes(): number {
    return this.batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
  }

  get maxTimestampMs(): number {
    return this.batches.reduce((max, batch) => Math.max(max, batch.timestampMs), -1);
  }

  get hasTransactionIndex(): boolean {
    return this.aborted.length > 0;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.batches.map((batch) => batch.bytes));
  }

  acquireData(): Promise<SegmentDataLease> {
    if (this.removed) return Promise.reject(new Error(`segment ${this.baseOffset} is gone`));
    this.leases += 1;
    let held = true;
    return Promise.resolve({
      data: this.#data(),
      release: () => {
        if (!held) throw new Error('released twice');
        held = false;
        this.leases -= 1;
      },
    });
  }

  #data(): LogSegmentData {
    const offsetIndex = Buffer.alloc(8 * Math.max(0, this.batches.length - 1));
    const timeIndex: Buffer[] = [];
    let position = 0;
    let latest = -1;
    for (const [at, batch] of this.batches.entries()) {
      if (at > 0) {
        offsetIndex.writeInt32BE(batch.lastOffset - this.baseOffset, 8 * (at - 1));
        offsetIndex.writeInt32BE(position, 8 * (at - 1) + 4);
      }
      position += batch.bytes.length;
      if (batch.timestampMs <= latest) continue;
      latest = batch.timestampMs;
      const entry = Buffer.alloc(12);
      entry.writeBigInt64BE(BigInt(latest));
      entry.writeInt32BE(batch.lastOffset - this.baseOffset, 8);
      timeIndex.push(entry);
    }
    const cut = (part: ModelSegment['damaged'], bytes: Buffer): SegmentSource =>
      bytesSource(this.damaged === part ? bytes.subarray(0, bytes.length - 1) : bytes);
    const transactionIndex =
      this.aborted.length > 0 ? bytesSource(Buffer.concat(this.aborted.map(txnEntry))) : undefined;
    return {
      log: cut('log', this.bytes),
      offsetIndex: cut('offsetIndex', offsetIndex),
      timeIndex: cut('timeIndex', Buffer.concat(timeIndex)),
      transactionIndex,
      producerSnapshot: bytesSource(Buffer.from([0, 1])),
      leaderEpochIndex: Buffer.from(this.#log.leaderEpochs.map((e) => `${e.epoch}`).join()),
    };
  }
}

function txnEntry(aborted: AbortedEntry): Buffer {
  const entry = Buffer.alloc(34);
  entry.writeBigInt64BE(BigInt(aborted.producerId), 2);
  entry.writeBigInt64BE(BigInt(aborted.firstOffset), 10);
  entry.writeBigInt64BE(BigInt(aborted.lastOffset), 18);
  entry.writeBigInt64BE(BigInt(aborted.lastStableOffset), 26);
  return entry;
}

/** What to append. */
export interface AppendFacts {
  readonly timestampMs?: number;
  readonly records?: number;
  /** Bytes of each record's value. */
  readonly bytes?: number;
  readonly batch?: BatchBuilderOptions;
}

/**
 * A log as the remote log manager sees one, kept in memory with real record batches, and a copy of all
 * that was ever appended to compare with. Everything is as if on disk but what Kafka does not persist:
 * `restart` forgets the highest offset in the remote tier.
 */
export class ModelLog implements PartitionLogView {
  readonly topicIdPartition: TopicIdPartition;
  config: TieredTopicConfig;
  logStartOffset = 0;
  highestOffsetInRemoteStorage = -1;
  leaderEpochs: LeaderEpochEntry[] = [{ epoch: 0, startOffset: 0 }];
  /** Everything that was appended, also what is gone since. */
  readonly history: Batch[] = [];
  /** Offsets below it are stable; default all. */
  openTransactionAt: number | undefined;
  readonly #segments: ModelSegment[];

  constructor(config: Partial<TieredTopicConfig> = {}, partition: TopicIdPartition = orders3) {
    this.topicIdPartition = partition;
    this.config = { ...tieredTopic, ...config };
    this.#segments = [new ModelSegment(0, this)];
  }

  get logEndOffset(): number {
    return this.#segments.at(-1)?.nextOffset ?? 0;
  }

  get localLogStartOffset(): number {
    return Math.max(this.logStartOffset, this.#segments[0]?.baseOffset ?? 0);
  }

  get highWatermark(): number {
    return this.logEndOffset;
  }

  get lastStableOffset(): number {
    return Math.min(this.logEndOffset, this.openTransactionAt ?? Number.POSITIVE_INFINITY);
  }

  segments(): readonly ModelSegment[] {
    return [...this.#segments];
  }

  updateHighestOffsetInRemoteStorage(offset: number): void {
    this.highestOffsetInRemoteStorage = Math.max(this.highestOffsetInRemoteStorage, offset);
  }

  advanceLogStartOffset(offset: number): Promise<void> {
    this.logStartOffset = Math.max(this.logStartOffset, offset);
    return Promise.resolve();
  }

  /** Appends one batch to the active segment. */
  append(facts: AppendFacts = {}): void {
    const { records = 1, bytes = 20, timestampMs = 1_700_000_000_000 } = facts;
    const baseOffset = this.logEndOffset;
    const builder = new BatchBuilder({
      baseOffset,
      partitionLeaderEpoch: this.leaderEpochs.at(-1)?.epoch ?? 0,
      ...facts.batch,
    });
    for (let i = 0; i < records; i += 1) {
      const value = Buffer.alloc(bytes, (baseOffset + i) & 0xff);
      builder.append({ timestamp: timestampMs, value });
    }
    const batch = {
      bytes: builder.build(),
      baseOffset,
      lastOffset: baseOffset + records - 1,
      timestampMs,
    };
    this.#active().batches.push(batch);
    this.history.push(batch);
  }

  /** Says that a transaction was aborted; its entry goes to the active segment. */
  abort(entry: AbortedEntry): void {
    this.#active().aborted.push(entry);
  }

  /** Begins a new segment, unless the active one is empty. */
  roll(): void {
    const active = this.#active();
    if (active.batches.length === 0) return;
    active.active = false;
    this.#segments.push(new ModelSegment(this.logEndOffset, this));
  }

  /** Appends a segment of some batches, and rolls. */
  appendSegment(batches = 3, facts: AppendFacts = {}): void {
    for (let i = 0; i < batches; i += 1) this.append(facts);
    this.roll();
  }

  /** Begins a new leader epoch at the end of the log. */
  newEpoch(): void {
    const last = this.leaderEpochs.at(-1);
    this.leaderEpochs.push({ epoch: (last?.epoch ?? -1) + 1, startOffset: this.logEndOffset });
  }

  /** What local retention does to a tiered log: rolled segments go once they are copied, or expired. */
  applyLocalRetention(): number[] {
    const gone: number[] = [];
    for (;;) {
      const first = this.#segments[0];
      if (first === undefined || first.active) return gone;
      const copied = first.nextOffset - 1 <= this.highestOffsetInRemoteStorage;
      if (!copied && first.nextOffset > this.logStartOffset) return gone;
      first.removed = true;
      this.#segments.shift();
      gone.push(first.baseOffset);
    }
  }

  /** What a restart of the process leaves. */
  restart(): void {
    this.highestOffsetInRemoteStorage = -1;
    for (const segment of this.#segments) segment.leases = 0;
  }

  /** Local batches from an offset on, as a local read returns them. */
  readLocal(offset: number): Batch | undefined {
    return this.#segments
      .flatMap((segment) => segment.batches)
      .find((batch) => batch.lastOffset >= offset);
  }

  #active(): ModelSegment {
    const active = this.#segments.at(-1);
    if (active === undefined) throw new Error('a log always has a segment');
    return active;
  }
}
