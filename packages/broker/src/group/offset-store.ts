import { abortable } from './abortable.ts';
import { MalformedBytesError } from './byte-reader.ts';
import type { GroupLogger } from './coordinator-options.ts';
import {
  decodeGroupMetadata,
  encodeGroupMetadata,
  type GroupMetadata,
} from './group-metadata-record.ts';
import type { OffsetLog, OffsetLogRecord } from './offset-log.ts';
import {
  type CommittedOffset,
  decodeOffsetRecordKey,
  decodeOffsetValue,
  encodeGroupKey,
  encodeOffsetKey,
  encodeOffsetValue,
} from './offset-records.ts';
import { type PendingValue, VersionedValue } from './versioned-value.ts';

/** A record as it was read from the log; the store copies what it keeps. */
export interface StoredOffsetRecord {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** A partition with its committed offset. */
export interface OffsetEntry {
  readonly topic: string;
  readonly partition: number;
  readonly value: CommittedOffset;
}

/** A partition whose offset is set, or deleted with `undefined`. */
export interface OffsetChange {
  readonly topic: string;
  readonly partition: number;
  readonly value: CommittedOffset | undefined;
}

/** Everything that one append to the log changes of a group. */
export interface GroupChanges {
  readonly offsets?: readonly OffsetChange[] | undefined;
  /** `null` deletes the metadata; absent leaves them alone. */
  readonly metadata?: GroupMetadata | null | undefined;
}

/** What came of loading. */
export interface OffsetLoadSummary {
  readonly applied: number;
  /** Records that could not be read; each was passed over. */
  readonly skipped: number;
}

/** What the log is known to hold of one group. */
interface GroupImage {
  readonly offsets: Map<string, Map<number, VersionedValue<CommittedOffset>>>;
  readonly metadata: VersionedValue<Buffer>;
  readonly writes: Set<Promise<void>>;
}

interface EncodedChanges {
  readonly offsets: readonly OffsetChange[];
  readonly metadata: Buffer | null | undefined;
}

interface SlotWrite {
  readonly settle: (durable: boolean) => void;
}

/** Components of an {@link OffsetStore}. */
export interface OffsetStoreContext {
  readonly logger: GroupLogger;
  /** Without one everything is durable at once. */
  readonly log?: OffsetLog | undefined;
}

const REPORTED_BAD_RECORDS = 10;

/**
 * The committed offsets and the persisted metadata of all groups: an image of `__consumer_offsets` in
 * memory. A write shows at once, and is taken back when the log refuses it; whoever must not see what
 * may be taken back reads what is durable. The image follows the order of the calls, as the log does.
 */
export class OffsetStore {
  readonly #log: OffsetLog | undefined;
  readonly #logger: GroupLogger;
  readonly #groups = new Map<string, GroupImage>();
  #offsetCount = 0;

  constructor(context: OffsetStoreContext) {
    this.#log = context.log;
    this.#logger = context.logger;
  }

  /** Offsets of all groups. */
  get offsetCount(): number {
    return this.#offsetCount;
  }

  /** The groups of which there is anything. */
  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  /** Whether there is anything of a group, or a write under way that could bring it back. */
  has(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  hasMetadata(groupId: string): boolean {
    return this.#groups.get(groupId)?.metadata.current !== undefined;
  }

  /** @throws MalformedBytesError when what was loaded is no group metadata */
  metadata(groupId: string): GroupMetadata | undefined {
    const bytes = this.#groups.get(groupId)?.metadata.current;
    return bytes === undefined ? undefined : decodeGroupMetadata(bytes);
  }

  /** The offset as it was written last. */
  get(groupId: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(groupId)?.offsets.get(topic)?.get(partition)?.current;
  }

  /** The offset as the log has it: never one that may still be refused. */
  durable(groupId: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(groupId)?.offsets.get(topic)?.get(partition)?.durable;
  }

  /** All offsets of a group as the log has them. */
  *durableEntries(groupId: string): Generator<OffsetEntry> {
    for (const [topic, partitions] of this.#groups.get(groupId)?.offsets ?? []) {
      for (const [partition, { durable }] of partitions) {
        if (durable !== undefined) yield { topic, partition, value: durable };
      }
    }
  }

  /** All offsets of a group as they were written last. */
  *entries(groupId: string): Generator<OffsetEntry> {
    for (const [topic, partitions] of this.#groups.get(groupId)?.offsets ?? []) {
      for (const [partition, slot] of partitions) {
        const value = slot.current;
        if (value !== undefined) yield { topic, partition, value };
      }
    }
  }

  /**
   * Changes a group with one append. Resolves when the log has it.
   *
   * @throws whatever the log rejects with; the changes are then taken back
   */
  async write(groupId: string, changes: GroupChanges): Promise<void> {
    const encoded = encodeChanges(changes);
    const records = recordsOf(groupId, encoded);
    if (records.length === 0) return;
    const image = this.#imageOf(groupId);
    const slots = this.#apply(image, encoded);
    const written = this.#append(records, groupId);
    image.writes.add(written);
    try {
      await written;
      this.#settle(slots, true);
    } catch (error) {
      this.#settle(slots, false);
      throw error;
    } finally {
      image.writes.delete(written);
      this.#forgetVacant(groupId, image, changes);
    }
  }

  /**
   * Waits for the writes to a group that were made before this call, so that what is durable after it
   * has them if they lasted: a consumer that takes a partition over sees the last commit of the one that
   * had it before, answered or not.
   *
   * @throws the reason of the signal
   */
  async whenSettled(
    groupId: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const writes = this.#groups.get(groupId)?.writes;
    if (writes === undefined || writes.size === 0) return;
    await abortable(Promise.allSettled([...writes]), options.signal);
  }

  /** Waits for all writes that are under way. Never rejects. */
  async flush(): Promise<void> {
    const writes = [...this.#groups.values()].flatMap((image) => [...image.writes]);
    await Promise.allSettled(writes);
  }

  /**
   * Every live record, encoded: what the log needs to hold, and no more. Writes under way are
   * included, so that none is lost that is appended to the old log while the new one is made; one
   * that fails after all is then in the new log. It must be read to its end in one turn.
   */
  *snapshot(): Generator<OffsetLogRecord> {
    for (const [groupId, image] of this.#groups) {
      const metadata = image.metadata.current;
      if (metadata !== undefined) yield { key: encodeGroupKey(groupId), value: metadata };
      for (const { topic, partition, value } of this.entries(groupId)) {
        yield { key: encodeOffsetKey(groupId, topic, partition), value: encodeOffsetValue(value) };
      }
    }
  }

  /** Takes over what the log holds, oldest record first. What cannot be read is passed over with a log line. */
  async load(
    records: Iterable<StoredOffsetRecord> | AsyncIterable<StoredOffsetRecord>,
  ): Promise<OffsetLoadSummary> {
    const counts = { applied: 0, skipped: 0 };
    if (Symbol.asyncIterator in records) {
      for await (const record of records) this.#loadRecord(record, counts);
    } else {
      for (const record of records) this.#loadRecord(record, counts);
    }
    if (counts.skipped > REPORTED_BAD_RECORDS) {
      this.#logger.warn('more records of the offsets log could not be read and were passed over', {
        skipped: counts.skipped,
      });
    }
    return counts;
  }

  #loadRecord(record: StoredOffsetRecord, counts: { applied: number; skipped: number }): void {
    try {
      this.#replay(record);
      counts.applied += 1;
    } catch (error) {
      if (!(error instanceof MalformedBytesError)) throw error;
      counts.skipped += 1;
      if (counts.skipped > REPORTED_BAD_RECORDS) return;
      this.#logger.warn('a record of the offsets log could not be read and was passed over', {
        reason: error.message,
        key: Buffer.from(record.key ?? []).toString('hex', 0, 64),
      });
    }
  }

  #replay({ key: keyBytes, value: bytes }: StoredOffsetRecord): void {
    if (keyBytes === null) throw new MalformedBytesError('expected a key, found null');
    const key = decodeOffsetRecordKey(keyBytes);
    if (key === undefined) return;
    const changes: GroupChanges =
      key.kind === 'group'
        ? { metadata: bytes === null ? null : decodeGroupMetadata(bytes) }
        : {
            offsets: [
              {
                topic: key.topic,
                partition: key.partition,
                value: bytes === null ? undefined : decodeOffsetValue(bytes),
              },
            ],
          };
    const image = this.#imageOf(key.groupId);
    this.#settle(this.#apply(image, encodeChanges(changes)), true);
    this.#forgetVacant(key.groupId, image, changes);
  }

  #imageOf(groupId: string): GroupImage {
    let image = this.#groups.get(groupId);
    if (image === undefined) {
      image = { offsets: new Map(), metadata: new VersionedValue(), writes: new Set() };
      this.#groups.set(groupId, image);
    }
    return image;
  }

  async #append(records: readonly OffsetLogRecord[], groupId: string): Promise<void> {
    await this.#log?.append(records, groupId);
  }

  #apply(image: GroupImage, changes: EncodedChanges): SlotWrite[] {
    const writes: SlotWrite[] = [];
    for (const { topic, partition, value } of changes.offsets) {
      const slot = slotOf(image, topic, partition);
      const counted = slot.current !== undefined;
      const pending = slot.write(value);
      this.#offsetCount += Number(value !== undefined) - Number(counted);
      writes.push({ settle: (durable) => this.#settleOffset(slot, pending, durable) });
    }
    const { metadata } = changes;
    if (metadata !== undefined) {
      const slot = image.metadata;
      const pending = slot.write(metadata ?? undefined);
      writes.push({
        settle: (durable) => (durable ? slot.confirm(pending) : slot.fail(pending)),
      });
    }
    return writes;
  }

  #settleOffset(
    slot: VersionedValue<CommittedOffset>,
    pending: PendingValue<CommittedOffset>,
    durable: boolean,
  ): void {
    const counted = slot.current !== undefined;
    if (durable) slot.confirm(pending);
    else slot.fail(pending);
    this.#offsetCount += Number(slot.current !== undefined) - Number(counted);
  }

  #settle(writes: readonly SlotWrite[], durable: boolean): void {
    for (const write of writes) write.settle(durable);
  }

  #forgetVacant(groupId: string, image: GroupImage, changes: GroupChanges): void {
    for (const { topic, partition } of changes.offsets ?? []) {
      const partitions = image.offsets.get(topic);
      if (partitions?.get(partition)?.isVacant) partitions.delete(partition);
      if (partitions?.size === 0) image.offsets.delete(topic);
    }
    const isEmpty = image.offsets.size === 0 && image.metadata.isVacant && image.writes.size === 0;
    if (isEmpty && this.#groups.get(groupId) === image) this.#groups.delete(groupId);
  }
}

function slotOf(
  image: GroupImage,
  topic: string,
  partition: number,
): VersionedValue<CommittedOffset> {
  let partitions = image.offsets.get(topic);
  if (partitions === undefined) {
    partitions = new Map();
    image.offsets.set(topic, partitions);
  }
  let slot = partitions.get(partition);
  if (slot === undefined) {
    slot = new VersionedValue();
    partitions.set(partition, slot);
  }
  return slot;
}

function encodeChanges({ offsets = [], metadata }: GroupChanges): EncodedChanges {
  const isValue = metadata !== undefined && metadata !== null;
  return { offsets, metadata: isValue ? encodeGroupMetadata(metadata) : metadata };
}

function recordsOf(groupId: string, changes: EncodedChanges): OffsetLogRecord[] {
  const records: OffsetLogRecord[] = changes.offsets.map(({ topic, partition, value }) => ({
    key: encodeOffsetKey(groupId, topic, partition),
    value: value === undefined ? null : encodeOffsetValue(value),
  }));
  if (changes.metadata !== undefined) {
    records.push({ key: encodeGroupKey(groupId), value: changes.metadata });
  }
  return records;
}
