import type { Clock } from '@logloft/clock';
import type { GroupCoordinatorSettings, GroupLogger } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { GroupErrorName } from './group-error.ts';
import { decideCommit, decideOffsetDelete, isOffsetExpired } from './offset-decisions.ts';
import type { CommittedOffset } from './offset-records.ts';
import type {
  FetchedOffset,
  OffsetCommitPartition,
  OffsetCommitRequest,
  OffsetCommitResult,
  OffsetDeleteRequest,
  OffsetDeleteResult,
  OffsetFetchRequest,
  OffsetFetchResult,
  PartitionErrors,
} from './offset-requests.ts';
import type { OffsetChange, OffsetEntry, OffsetStore } from './offset-store.ts';

/** Components of {@link GroupOffsets}. */
export interface GroupOffsetsContext {
  readonly clock: Clock;
  readonly logger: GroupLogger;
  readonly settings: GroupCoordinatorSettings;
  readonly store: OffsetStore;
  readonly directory: GroupDirectory;
  readonly hasPartition: (topic: string, partition: number) => boolean;
}

/** Commits, looks up, deletes and expires the offsets of groups. */
export class GroupOffsets {
  readonly #context: GroupOffsetsContext;

  constructor(context: GroupOffsetsContext) {
    this.#context = context;
  }

  async commit(request: OffsetCommitRequest): Promise<OffsetCommitResult> {
    const { directory } = this.#context;
    const known = directory.get(request.groupId);
    const error = decideCommit(known, request);
    if (error !== 'NONE') return everyPartition(request, error);
    const member = known?.members.get(request.memberId);
    if (known?.state === 'Stable' || known?.state === 'PreparingRebalance') member?.touch();
    const { changes, topics } = this.#accept(request);
    if (changes.length === 0) return { topics };
    const group = known ?? directory.getOrCreate(request.groupId);
    if (group === undefined) return everyPartition(request, 'COORDINATOR_NOT_AVAILABLE');
    const written = await this.#write(group, changes);
    return { topics: written ? topics : withoutSuccess(topics) };
  }

  async fetch(
    request: OffsetFetchRequest,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<OffsetFetchResult> {
    const { store } = this.#context;
    const { groupId, topics } = request;
    await store.whenSettled(groupId, options);
    if (topics === null)
      return { groupId, error: 'NONE', topics: allOffsets(store.durableEntries(groupId)) };
    return {
      groupId,
      error: 'NONE',
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map((index) => fetched(index, store.durable(groupId, name, index))),
      })),
    };
  }

  async delete(request: OffsetDeleteRequest): Promise<OffsetDeleteResult> {
    const group = this.#context.directory.get(request.groupId);
    const error = decideOffsetDelete(group);
    if (error !== 'NONE' || group === undefined) return { error, topics: [] };
    const { store, hasPartition } = this.#context;
    const changes: OffsetChange[] = [];
    const check = (topic: string, partition: number): GroupErrorName => {
      if (!hasPartition(topic, partition)) return 'UNKNOWN_TOPIC_OR_PARTITION';
      if (group.state !== 'Empty' && group.isSubscribedTo(topic))
        return 'GROUP_SUBSCRIBED_TO_TOPIC';
      const isThere = store.get(group.id, topic, partition) !== undefined;
      if (isThere) changes.push({ topic, partition, value: undefined });
      return 'NONE';
    };
    const topics = request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map((index) => ({ index, error: check(name, index) })),
    }));
    const written = await this.#write(group, changes);
    return { error: 'NONE', topics: written ? topics : withoutSuccess(topics) };
  }

  /**
   * Drops the offsets of topics that are no more.
   *
   * @throws AggregateError when the log refused some; these offsets are still there
   */
  async topicsDeleted(names: readonly string[]): Promise<void> {
    const { store, directory } = this.#context;
    const deleted = new Set(names);
    const writes: Promise<void>[] = [];
    for (const group of [...directory]) {
      const offsets = tombstones(store.entries(group.id), ({ topic }) => deleted.has(topic));
      if (offsets.length > 0) writes.push(store.write(group.id, { offsets }));
    }
    const outcomes = await Promise.allSettled(writes);
    for (const group of [...directory]) directory.changed(group);
    const reasons = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    );
    if (reasons.length > 0) {
      throw new AggregateError(reasons, 'offsets of deleted topics are still in the offsets log');
    }
  }

  /** Drops what has outlived its retention, and the empty groups of which nothing is left then. */
  async expire(): Promise<void> {
    const { directory } = this.#context;
    await Promise.all([...directory].map((group) => this.#expireGroup(group)));
  }

  async #expireGroup(group: Group): Promise<void> {
    const { store, clock, settings, logger } = this.#context;
    const rule = { nowMs: clock.now(), retentionMs: settings.offsetsRetentionMs };
    const offsets = tombstones(store.entries(group.id), (entry) =>
      isOffsetExpired(group, entry, rule),
    );
    const isOver =
      group.state === 'Empty' &&
      group.pendingMemberCount === 0 &&
      store.hasMetadata(group.id) &&
      offsets.length === countOf(store.entries(group.id));
    if (offsets.length === 0 && !isOver) return;
    logger.info('offsets expire', {
      group: group.id,
      offsets: offsets.length,
      deletesGroup: isOver,
    });
    try {
      await store.write(group.id, { offsets, metadata: isOver ? null : undefined });
    } catch (cause) {
      logger.warn('expired offsets could not be deleted', { group: group.id, cause });
    } finally {
      this.#context.directory.changed(group);
    }
  }

  #accept(request: OffsetCommitRequest): { changes: OffsetChange[]; topics: PartitionErrors[] } {
    const { store, settings } = this.#context;
    const changes: OffsetChange[] = [];
    let room = settings.maxOffsets - store.offsetCount;
    const accept = (topic: string, partition: OffsetCommitPartition): GroupErrorName => {
      const { index } = partition;
      const error = this.#check(topic, partition);
      if (error !== 'NONE') return error;
      if (store.get(request.groupId, topic, index) === undefined) {
        if (room <= 0) return 'COORDINATOR_NOT_AVAILABLE';
        room -= 1;
      }
      changes.push({ topic, partition: index, value: this.#kept(request, partition) });
      return 'NONE';
    };
    const topics = request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map((partition) => ({
        index: partition.index,
        error: accept(name, partition),
      })),
    }));
    return { changes, topics };
  }

  #check(topic: string, { index, metadata }: OffsetCommitPartition): GroupErrorName {
    if (!this.#context.hasPartition(topic, index)) return 'UNKNOWN_TOPIC_OR_PARTITION';
    const bytes = Buffer.byteLength(metadata ?? '');
    return bytes > this.#context.settings.offsetMetadataMaxBytes
      ? 'OFFSET_METADATA_TOO_LARGE'
      : 'NONE';
  }

  #kept(request: OffsetCommitRequest, partition: OffsetCommitPartition): CommittedOffset {
    const nowMs = this.#context.clock.now();
    const { retentionTimeMs = -1 } = request;
    const { commitTimestampMs = -1 } = partition;
    return {
      offset: partition.offset,
      leaderEpoch: partition.leaderEpoch ?? -1,
      metadata: partition.metadata ?? '',
      commitTimestampMs: commitTimestampMs < 0 ? nowMs : commitTimestampMs,
      expireTimestampMs:
        retentionTimeMs < 0 ? -1 : Math.min(nowMs + retentionTimeMs, Number.MAX_SAFE_INTEGER),
    };
  }

  async #write(group: Group, offsets: readonly OffsetChange[]): Promise<boolean> {
    const { store, directory, logger } = this.#context;
    try {
      await store.write(group.id, { offsets });
      return true;
    } catch (cause) {
      logger.warn('offsets could not be written to the offsets log', { group: group.id, cause });
      return false;
    } finally {
      directory.changed(group);
    }
  }
}

/** The same error for every partition of a commit. */
export function everyPartition(
  request: Pick<OffsetCommitRequest, 'topics'>,
  error: GroupErrorName,
): OffsetCommitResult {
  return {
    topics: request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ index }) => ({ index, error })),
    })),
  };
}

/** An answer to an OffsetFetch that fails for the whole group. */
export function fetchRefused(
  request: OffsetFetchRequest,
  error: GroupErrorName,
): OffsetFetchResult {
  const topics = (request.topics ?? []).map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((index) => ({ ...fetched(index, undefined), error })),
  }));
  return { groupId: request.groupId, error, topics };
}

function withoutSuccess(topics: readonly PartitionErrors[]): PartitionErrors[] {
  return topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ index, error }) => ({
      index,
      error: error === 'NONE' ? 'COORDINATOR_NOT_AVAILABLE' : error,
    })),
  }));
}

function fetched(index: number, committed: CommittedOffset | undefined): FetchedOffset {
  return {
    index,
    offset: committed?.offset ?? -1,
    leaderEpoch: committed?.leaderEpoch ?? -1,
    metadata: committed?.metadata ?? '',
    error: 'NONE',
  };
}

function allOffsets(entries: Iterable<OffsetEntry>): OffsetFetchResult['topics'] {
  const topics = new Map<string, FetchedOffset[]>();
  for (const { topic, partition, value } of entries) {
    const partitions = topics.get(topic) ?? [];
    partitions.push(fetched(partition, value));
    topics.set(topic, partitions);
  }
  return [...topics].map(([name, partitions]) => ({ name, partitions }));
}

function tombstones(
  entries: Iterable<OffsetEntry>,
  isDeleted: (entry: OffsetEntry) => boolean,
): OffsetChange[] {
  const changes: OffsetChange[] = [];
  for (const entry of entries) {
    if (!isDeleted(entry)) continue;
    changes.push({ topic: entry.topic, partition: entry.partition, value: undefined });
  }
  return changes;
}

function countOf(entries: Iterable<unknown>): number {
  let count = 0;
  for (const _ of entries) count += 1;
  return count;
}
