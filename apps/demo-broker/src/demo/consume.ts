import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { ContentDigest } from './content-digest.ts';
import { DemoFailure } from './demo-failure.ts';
import { unlessAborted } from './waiting.ts';

/** What to read. */
export interface ConsumeRequest {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  /** By partition: how many records there are. */
  readonly records: readonly number[];
  /** Called with the number of records that arrived. */
  readonly onProgress: (records: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a topic from offset 0 with a group that never was, until everything is there.
 *
 * @returns by partition, the digest over what arrived
 * @throws DemoFailure when an offset is missing, comes twice or is out of order
 * @throws what kafkajs says, and the reason of the signal
 */
export async function consume(request: ConsumeRequest): Promise<readonly ContentDigest[]> {
  const { kafka, topic, groupId, signal } = request;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 500 });
  const reading = new Reading(request);
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    watch(consumer, reading);
    await consumer.run({ eachBatch: async (payload) => reading.take(payload) });
    await unlessAborted(reading.finished, signal);
    return reading.digests;
  } finally {
    await consumer.disconnect();
  }
}

function watch(consumer: Consumer, reading: Reading): void {
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    reading.fail(payload.error);
  });
}

class Reading {
  readonly digests: readonly ContentDigest[];
  readonly #expected: readonly number[];
  readonly #next: number[];
  readonly #onProgress: (records: number) => void;
  readonly #end = Promise.withResolvers<void>();

  constructor({ records, onProgress }: ConsumeRequest) {
    this.#expected = records;
    this.#next = records.map(() => 0);
    this.#onProgress = onProgress;
    this.digests = records.map(() => new ContentDigest());
    // Whoever waits hears of it; before that it must not count as unhandled.
    this.#end.promise.catch(() => undefined);
  }

  get finished(): Promise<void> {
    return this.#end.promise;
  }

  fail(error: unknown): void {
    this.#end.reject(error);
  }

  take({ batch: { partition, messages } }: EachBatchPayload): void {
    try {
      for (const message of messages) this.#takeOne(partition, message);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#onProgress(messages.length);
    const isComplete = this.#next.every((next, index) => next >= (this.#expected[index] ?? 0));
    if (isComplete) this.#end.resolve();
  }

  #takeOne(partition: number, { offset, key, value }: KafkaMessage): void {
    const digest = this.digests[partition];
    const expected = this.#next[partition];
    if (digest === undefined || Number(offset) !== expected || value === null) {
      throw new DemoFailure(`Partition ${partition}: expected record ${expected}, got ${offset}.`);
    }
    if (key !== null) digest.begin(key.toString());
    digest.add(value);
    this.#next[partition] = expected + 1;
  }
}
