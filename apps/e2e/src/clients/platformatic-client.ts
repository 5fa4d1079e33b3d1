import {
  type Consumer,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  Consumer as PlatformaticConsumer,
  Producer,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka';
import type { Client, Member, MemberOptions, SendOptions } from './client.ts';
import { PlatformaticMember, type TextConsumer } from './platformatic-member.ts';

const MESSAGES_IN_REQUEST = 2000;

type Codec = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
const CODECS: readonly Codec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/** @platformatic/kafka 2. */
export class PlatformaticClient implements Client {
  readonly name = '@platformatic/kafka';
  readonly codecs: readonly string[] = CODECS;
  readonly #bootstrap: string;
  readonly #producers = new Map<boolean, Producer<string, string, string, string>>();
  readonly #consumers = new Set<TextConsumer>();

  constructor(bootstrap: string) {
    this.#bootstrap = bootstrap;
  }

  async send({
    topic,
    partition = 0,
    values,
    codec,
    idempotent = false,
  }: SendOptions): Promise<void> {
    const producer = this.#producer(idempotent);
    const compression = CODECS.find((one) => one === codec) ?? 'none';
    for (let at = 0; at < values.length; at += MESSAGES_IN_REQUEST) {
      await producer.send({
        acks: -1,
        compression,
        messages: values
          .slice(at, at + MESSAGES_IN_REQUEST)
          .map((value) => ({ topic, partition, value })),
      });
    }
  }

  async read(topic: string, count: number): Promise<readonly string[]> {
    const consumer = this.#consumer(`read-${topic}`);
    const stream = await consumer.consume({
      topics: [topic],
      mode: MessagesStreamModes.EARLIEST,
      autocommit: false,
      maxWaitTime: 200,
    });
    const values: string[] = [];
    for await (const { offset, value } of stream) {
      if (Number(offset) !== values.length) {
        throw new Error(`offset ${offset} came, expected ${values.length}`);
      }
      values.push(value);
      if (values.length === count) break;
    }
    await this.#close(consumer);
    return values;
  }

  async join(options: MemberOptions): Promise<Member> {
    const consumer = this.#consumer(options.groupId);
    const stream = await consumer.consume({
      topics: [options.topic],
      mode: MessagesStreamModes.COMMITTED,
      fallbackMode: MessagesStreamFallbackModes.EARLIEST,
      autocommit: false,
      maxWaitTime: 200,
    });
    return new PlatformaticMember(options, {
      consumer,
      stream,
      close: () => this.#close(consumer),
    });
  }

  async committed(groupId: string, topic: string): Promise<ReadonlyMap<number, number>> {
    const consumer = this.#consumer(groupId);
    try {
      const { topics } = await consumer.metadata({ topics: [topic] });
      const count = topics.get(topic)?.partitionsCount ?? 0;
      const partitions = Array.from({ length: count }, (_, index) => index);
      const found = await consumer.listCommittedOffsets({ topics: [{ topic, partitions }] });
      const offsets = found.get(topic) ?? [];
      return new Map(offsets.map((offset, partition) => [partition, Number(offset)]));
    } finally {
      await this.#close(consumer);
    }
  }

  async close(): Promise<void> {
    for (const consumer of [...this.#consumers]) await this.#close(consumer);
    for (const producer of this.#producers.values()) await producer.close();
  }

  #producer(idempotent: boolean): Producer<string, string, string, string> {
    const known = this.#producers.get(idempotent);
    if (known !== undefined) return known;
    const producer = new Producer({
      clientId: 'e2e-platformatic',
      bootstrapBrokers: [this.#bootstrap],
      serializers: stringSerializers,
      idempotent,
      retries: 20,
      retryDelay: 100,
    });
    this.#producers.set(idempotent, producer);
    return producer;
  }

  #consumer(groupId: string): TextConsumer {
    const consumer: Consumer<string, string, string, string> = new PlatformaticConsumer({
      clientId: 'e2e-platformatic',
      groupId,
      bootstrapBrokers: [this.#bootstrap],
      deserializers: stringDeserializers,
      sessionTimeout: 10_000,
      heartbeatInterval: 250,
      rebalanceTimeout: 10_000,
      retries: 20,
      retryDelay: 100,
    });
    this.#consumers.add(consumer);
    return consumer;
  }

  async #close(consumer: TextConsumer): Promise<void> {
    if (this.#consumers.delete(consumer)) await consumer.close(true);
  }
}
