import { type RandomSource, randomBelow } from '@logloft/clock';
import { ErrorCode, initProducerIdApi, produceApi } from '@logloft/protocol';
import { BatchBuilder } from '@logloft/records';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { sleep } from '../harness/sleep.ts';
import type { Ledger } from './ledger.ts';
import { ledgerValue } from './ledger-value.ts';
import { partitionName, type TopicPartition } from './topic-partition.ts';

/** As many batches of a partition may be under way as the protocol keeps apart. */
const MAX_IN_FLIGHT = 5;
const MAX_RECORDS = 8;
const MAX_PAUSE_MS = 8;
const RECONNECT_MS = 20;
const SEQUENCES = 2 ** 31;

/** What an {@link IdempotentProducer} works with. */
export interface IdempotentProducerOptions {
  readonly bootstrap: string;
  readonly partitions: readonly TopicPartition[];
  readonly ledger: Ledger;
  readonly random: RandomSource;
}

interface Batch {
  readonly firstCounter: number;
  readonly count: number;
  readonly bytes: Buffer;
}

interface Lane {
  readonly of: TopicPartition;
  /** Sent and not acknowledged, oldest first. */
  readonly inFlight: Batch[];
  nextCounter: number;
}

/**
 * A producer as the clients' idempotent ones are: it numbers its batches, has several under way, and
 * after a lost connection sends again, with the same numbers and in the same order, whatever it has no
 * answer for. It never gives up and never skips.
 */
export class IdempotentProducer {
  readonly #options: IdempotentProducerOptions;
  readonly #lanes: readonly Lane[];
  #producerId: number | undefined;
  #session: Session | undefined;
  #gate = Promise.withResolvers<void>();
  #isOpen = false;
  #isStopping = false;
  #isDraining = false;
  readonly #running: Promise<void>;

  constructor(options: IdempotentProducerOptions) {
    this.#options = options;
    this.#lanes = options.partitions.map((of) => ({ of, inFlight: [], nextCounter: 0 }));
    this.#running = this.#run();
  }

  /** Begins to send, or goes on. */
  resume(): void {
    this.#isOpen = true;
    this.#gate.resolve();
  }

  /** Stops sending; what has no answer is kept. */
  pause(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#gate = Promise.withResolvers();
    this.#session?.end();
  }

  /** Makes no new records, and ends when all that was sent is acknowledged. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.resume();
    this.#session?.wake();
    await this.#running;
  }

  /** Ends at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#session?.end();
    this.resume();
    await this.#running;
  }

  get #isDone(): boolean {
    const isIdle = this.#lanes.every(({ inFlight }) => inFlight.length === 0);
    return this.#isStopping || (this.#isDraining && isIdle);
  }

  async #run(): Promise<void> {
    while (!this.#isDone) {
      await this.#gate.promise;
      try {
        await this.#connectAndSend();
      } catch {
        // The broker was killed, or is not there yet.
      }
      if (!this.#isDone) await sleep(RECONNECT_MS);
    }
  }

  async #connectAndSend(): Promise<void> {
    const connection = await KafkaConnection.open(this.#options.bootstrap);
    const session = new Session(connection);
    this.#session = session;
    try {
      this.#producerId ??= await this.#register(connection);
      for (const lane of this.#lanes) {
        for (const batch of lane.inFlight) this.#send(session, [{ lane, batch }]);
      }
      await this.#sendAndWait(session, this.#producerId);
    } finally {
      connection.close();
      await session.settled();
      this.#session = undefined;
    }
  }

  async #register(connection: KafkaConnection): Promise<number> {
    const { errorCode, producerId } = await connection.request(initProducerIdApi, 4, {
      transactionalId: null,
      transactionTimeoutMs: 60_000,
      producerId: -1,
      producerEpoch: -1,
    });
    if (errorCode !== ErrorCode.NONE) throw new Error(`InitProducerId: error ${errorCode}`);
    this.#options.ledger.producer(producerId);
    return producerId;
  }

  async #sendAndWait(session: Session, producerId: number): Promise<void> {
    const { random } = this.#options;
    while (session.isAlive && this.#isOpen && !this.#isDone) {
      const free = this.#isDraining
        ? []
        : this.#lanes.filter(({ inFlight }) => inFlight.length < MAX_IN_FLIGHT);
      if (free.length === 0) {
        await session.change();
        continue;
      }
      const wanted = 1 + randomBelow(random, free.length);
      const chosen = free.toSorted(() => randomBelow(random, 3) - 1).slice(0, wanted);
      this.#send(
        session,
        chosen.map((lane) => ({ lane, batch: this.#next(lane, producerId) })),
      );
      // Now and then a burst, so that all that may be under way is.
      if (randomBelow(random, 4) > 0) await sleep(randomBelow(random, MAX_PAUSE_MS));
    }
  }

  #next(lane: Lane, producerId: number): Batch {
    const firstCounter = lane.nextCounter;
    const builder = new BatchBuilder({
      producerId,
      producerEpoch: 0,
      baseSequence: firstCounter % SEQUENCES,
    });
    const count = 1 + randomBelow(this.#options.random, MAX_RECORDS);
    for (let index = 0; index < count; index += 1) {
      const id = { producerId, counter: firstCounter + index };
      this.#options.ledger.sent(lane.of, id);
      builder.append({ timestamp: Date.now(), value: ledgerValue(id) });
    }
    const batch = { firstCounter, count, bytes: builder.build() };
    lane.inFlight.push(batch);
    lane.nextCounter += count;
    return batch;
  }

  #send(session: Session, parts: readonly { readonly lane: Lane; readonly batch: Batch }[]): void {
    const answered = session.connection.request(produceApi, 9, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 10_000,
      topicData: parts.map(({ lane, batch }) => ({
        name: lane.of.topic,
        partitionData: [{ index: lane.of.partition, records: batch.bytes }],
      })),
    });
    session.track(
      answered.then(({ responses }) => {
        for (const { lane, batch } of parts) {
          const { topic, partition } = lane.of;
          const answer = responses
            .filter(({ name }) => name === topic)
            .flatMap(({ partitionResponses }) => partitionResponses)
            .find(({ index }) => index === partition);
          this.#accept(session, { lane, batch }, answer);
        }
      }),
    );
  }

  #accept(
    session: Session,
    { lane, batch }: { readonly lane: Lane; readonly batch: Batch },
    answer: { readonly errorCode: number; readonly baseOffset: number } | undefined,
  ): void {
    const { ledger } = this.#options;
    const { firstCounter, count } = batch;
    const isFine = answer?.errorCode === ErrorCode.NONE && answer.baseOffset >= 0;
    if (!isFine || lane.inFlight[0] !== batch) {
      const what = `${this.#producerId}/${firstCounter} in ${partitionName(lane.of)}`;
      // Once one is refused, those behind it are, too; the first one tells.
      if (session.isAlive) ledger.problem(`producing ${what}: ${JSON.stringify(answer)}`);
      session.end();
      return;
    }
    lane.inFlight.shift();
    ledger.acknowledged(lane.of, {
      baseOffset: answer.baseOffset,
      producerId: this.#producerId ?? -1,
      firstCounter,
      count,
    });
  }
}

/** One connection's life. */
class Session {
  readonly connection: KafkaConnection;
  readonly #pending = new Set<Promise<void>>();
  #change = Promise.withResolvers<void>();
  #isAlive = true;

  constructor(connection: KafkaConnection) {
    this.connection = connection;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves when an answer has come, or the connection is gone. */
  async change(): Promise<void> {
    if (this.#isAlive) await this.#change.promise;
  }

  wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  end(): void {
    this.#isAlive = false;
    this.connection.close();
    this.wake();
  }

  track(answered: Promise<void>): void {
    const pending = answered
      .catch(() => this.end())
      .finally(() => {
        this.#pending.delete(pending);
        this.wake();
      });
    this.#pending.add(pending);
  }

  /** Resolves when no answer is awaited any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
