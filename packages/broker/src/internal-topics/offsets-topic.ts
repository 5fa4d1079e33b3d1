import type { Clock } from '@logloft/clock';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import type { OffsetLog, OffsetLogRecord } from '../group/offset-log.ts';
import { decodeOffsetRecordKey } from '../group/offset-records.ts';
import { offsetsPartitionFor } from '../group/offsets-partition.ts';
import type { BrokerLogger } from '../logger.ts';
import { SerialQueue } from '../serial-queue.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { ensureInternalTopic } from './ensure-internal-topic.ts';
import { InternalTopic, type StoredRecord } from './internal-topic.ts';

/** Kafka's name of the topic with committed offsets and groups. */
const OFFSETS_TOPIC = '__consumer_offsets';

/** What {@link OffsetsTopic} needs. */
export interface OffsetsTopicServices {
  readonly topics: TopicManager;
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  /** `offsets.topic.num.partitions`; what the topic has once it is made counts. */
  readonly partitions: number;
  /** `offsets.topic.segment.bytes`. */
  readonly segmentBytes: number;
}

/** Bytes of a record batch that a rewriting of the topic gathers. */
const REWRITE_BATCH_RECORDS = 500;
/** At start the topic is rewritten from this size on: reading it back costs time. */
const REWRITE_AT_START_BYTES = 1024 * 1024;
/** While running it is rewritten from this size on, */
const REWRITE_BYTES = 64 * 1024 * 1024;
/** and from this many times what was left the last time: offsets that all count cannot be made fewer. */
const REWRITE_FACTOR = 2;

/**
 * Keeps what the group coordinator says in `__consumer_offsets`. The topic is made when the first
 * group appears. Until compaction exists, it is rewritten from what still counts when it has grown.
 */
export class OffsetsTopic implements OffsetLog {
  readonly #services: OffsetsTopicServices;
  readonly #changes = new SerialQueue();
  #topic: InternalTopic | undefined;
  #coordinator: GroupCoordinator | undefined;
  #sinceCheck = 0;
  #rewriteFromBytes = REWRITE_BYTES;

  constructor(services: OffsetsTopicServices) {
    this.#services = services;
    if (services.topics.byName(OFFSETS_TOPIC) !== undefined) this.#topic = this.#open();
  }

  /** Lets the coordinator read what is there. */
  async load(coordinator: GroupCoordinator): Promise<void> {
    this.#coordinator = coordinator;
    await coordinator.load(this.#allRecords());
    const topic = this.#topic;
    if (topic !== undefined && topic.sizeInBytes > REWRITE_AT_START_BYTES) {
      await this.#changes.run(() => this.#rewrite(topic));
    }
  }

  async append(records: readonly OffsetLogRecord[], groupId: string): Promise<void> {
    const topic = this.#topic ?? (await this.#make());
    await topic.append(offsetsPartitionFor(groupId, topic.partitionCount), records);
    this.#sinceCheck += 1;
    if (this.#sinceCheck % REWRITE_BATCH_RECORDS === 0) this.#rewriteWhenLarge(topic);
  }

  async #make(): Promise<InternalTopic> {
    return this.#changes.run(async () => {
      if (this.#topic !== undefined) return this.#topic;
      const { topics, partitions, segmentBytes } = this.#services;
      await ensureInternalTopic(topics, {
        name: OFFSETS_TOPIC,
        partitions,
        overrides: new Map([
          ['segment.bytes', String(segmentBytes)],
          ['retention.ms', '-1'],
          ['retention.bytes', '-1'],
          ['remote.storage.enable', 'false'],
        ]),
      });
      this.#topic = this.#open();
      return this.#topic;
    });
  }

  #open(): InternalTopic {
    const { topics, clock } = this.#services;
    return new InternalTopic(() => {
      const topic = topics.byName(OFFSETS_TOPIC);
      if (topic === undefined) throw new Error(`${OFFSETS_TOPIC} is gone`);
      return topic;
    }, clock);
  }

  async *#allRecords(): AsyncGenerator<StoredRecord> {
    const topic = this.#topic;
    if (topic === undefined) return;
    for (let partition = 0; partition < topic.partitionCount; partition += 1) {
      yield* topic.readAll(partition);
    }
  }

  #rewriteWhenLarge(topic: InternalTopic): void {
    if (topic.sizeInBytes < this.#rewriteFromBytes) return;
    this.#changes
      .run(async () => {
        if (topic.sizeInBytes >= this.#rewriteFromBytes) await this.#rewrite(topic);
      })
      .catch((error: unknown) => {
        this.#services.logger.warn(`${OFFSETS_TOPIC} could not be rewritten; it grows on`, {
          error,
        });
      });
  }

  /**
   * Appends all that counts behind what is there, and moves the log starts up to it once that is
   * synced. A crash in between leaves both, and reading both gives the same.
   */
  async #rewrite(topic: InternalTopic): Promise<void> {
    const coordinator = this.#coordinator;
    if (coordinator === undefined) return;
    const before = topic.sizeInBytes;
    const starts: number[] = [];
    for (let index = 0; index < topic.partitionCount; index += 1) {
      const { log } = topic.partition(index);
      log.flushTurn();
      log.roll();
      starts.push(log.logEndOffset);
    }
    // Read and handed to the logs within one turn: what is committed from now on comes behind it.
    const batches = batchesByPartition(coordinator.snapshot(), topic.partitionCount);
    await Promise.all(
      [...batches].flatMap(([partition, list]) =>
        list.map((batch) => topic.append(partition, batch)),
      ),
    );
    // What goes may have been synced long ago: a power cut must not find neither.
    for (const partition of batches.keys()) await topic.partition(partition).log.flush();
    for (const [index, start] of starts.entries()) {
      topic.partition(index).log.deleteRecordsBefore(start);
      topic.partition(index).log.applyRetention();
    }
    this.#rewriteFromBytes = Math.max(REWRITE_BYTES, REWRITE_FACTOR * topic.sizeInBytes);
    this.#services.logger.info(`${OFFSETS_TOPIC} was rewritten`, {
      before,
      after: topic.sizeInBytes,
    });
  }
}

function batchesByPartition(
  records: Iterable<OffsetLogRecord>,
  partitionCount: number,
): Map<number, OffsetLogRecord[][]> {
  const batches = new Map<number, OffsetLogRecord[][]>();
  for (const record of records) {
    const group = decodeOffsetRecordKey(record.key)?.groupId ?? '';
    const partition = offsetsPartitionFor(group, partitionCount);
    const list = batches.get(partition) ?? [];
    batches.set(partition, list);
    const last = list.at(-1);
    if (last !== undefined && last.length < REWRITE_BATCH_RECORDS) last.push(record);
    else list.push([record]);
  }
  return batches;
}
