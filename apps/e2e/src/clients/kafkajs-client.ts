import { type Consumer, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import type { Client, Member, MemberOptions, SendOptions } from './client.ts';
import { KAFKAJS_CODECS, kafkajsCodec, plugKafkajsCodecs } from './kafkajs-codecs.ts';

const MESSAGES_IN_REQUEST = 2000;
const MESSAGES_IN_COMMIT = 50;

/** Errors with which the broker says that a commit does not count. */
const REFUSALS: ReadonlySet<string> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** kafkajs 2. */
export class KafkajsClient implements Client {
  readonly name = 'kafkajs';
  readonly codecs: readonly string[] = Object.keys(KAFKAJS_CODECS);
  readonly kafka: Kafka;
  readonly #producers = new Map<boolean, Producer>();
  readonly #consumers = new Set<Consumer>();

  constructor(bootstrap: string) {
    plugKafkajsCodecs();
    this.kafka = new Kafka({
      clientId: 'e2e-kafkajs',
      brokers: [bootstrap],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 40 },
    });
  }

  async send({
    topic,
    partition = 0,
    values,
    codec = 'none',
    idempotent = false,
  }: SendOptions): Promise<void> {
    const producer = await this.#producer(idempotent);
    for (let at = 0; at < values.length; at += MESSAGES_IN_REQUEST) {
      await producer.send({
        topic,
        acks: -1,
        compression: kafkajsCodec(codec),
        messages: values.slice(at, at + MESSAGES_IN_REQUEST).map((value) => ({ partition, value })),
      });
    }
  }

  async read(topic: string, count: number): Promise<readonly string[]> {
    const consumer = await this.#consumer(`read-${topic}`);
    const values: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch }) => {
        for (const { offset, value } of batch.messages) {
          if (Number(offset) !== values.length) {
            reject(new Error(`offset ${offset} came, expected ${values.length}`));
          }
          values.push(value?.toString() ?? '');
        }
        if (values.length >= count) resolve();
      },
    });
    await promise;
    await this.#disconnect(consumer);
    return values;
  }

  async join({ name, groupId, topic, progress }: MemberOptions): Promise<Member> {
    const consumer = await this.#consumer(groupId);
    const member: Member & { partitions: readonly number[] } = {
      partitions: [],
      leave: () => this.#disconnect(consumer),
    };
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      member.partitions = payload.memberAssignment[topic] ?? [];
    });
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, heartbeat, resolveOffset, isRunning, isStale }) => {
        const { partition } = batch;
        for (let at = 0; at < batch.messages.length; at += MESSAGES_IN_COMMIT) {
          if (!isRunning() || isStale()) return;
          const offsets = batch.messages
            .slice(at, at + MESSAGES_IN_COMMIT)
            .map(({ offset }) => Number(offset));
          const [from = 0] = offsets;
          const to = (offsets.at(-1) ?? 0) + 1;
          try {
            await consumer.commitOffsets([{ topic, partition, offset: String(to) }]);
            progress.add(partition, { member: name, from, to, isUncertain: false });
          } catch (error) {
            if (!isRefusal(error)) {
              progress.add(partition, { member: name, from, to, isUncertain: true });
            }
            throw error;
          }
          resolveOffset(String(to - 1));
          await heartbeat();
        }
      },
    });
    return member;
  }

  async committed(groupId: string, topic: string): Promise<ReadonlyMap<number, number>> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const partitions = found?.partitions ?? [];
      return new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    } finally {
      await admin.disconnect();
    }
  }

  async close(): Promise<void> {
    for (const consumer of [...this.#consumers]) await this.#disconnect(consumer);
    for (const producer of this.#producers.values()) await producer.disconnect();
  }

  async #producer(idempotent: boolean): Promise<Producer> {
    const known = this.#producers.get(idempotent);
    if (known !== undefined) return known;
    const producer = this.kafka.producer({
      idempotent,
      createPartitioner: Partitioners.DefaultPartitioner,
      ...(idempotent ? { maxInFlightRequests: 1 } : {}),
    });
    this.#producers.set(idempotent, producer);
    await producer.connect();
    return producer;
  }

  async #consumer(groupId: string): Promise<Consumer> {
    const consumer = this.kafka.consumer({
      groupId,
      sessionTimeout: 10_000,
      heartbeatInterval: 250,
      maxWaitTimeInMs: 200,
    });
    this.#consumers.add(consumer);
    await consumer.connect();
    return consumer;
  }

  async #disconnect(consumer: Consumer): Promise<void> {
    if (this.#consumers.delete(consumer)) await consumer.disconnect();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'type' in error && REFUSALS.has(String(error.type));
}
