import { ErrorCode, initProducerIdApi } from '@logloft/protocol';
import { BatchBuilder } from '@logloft/records';
import type { Ledger } from '../crash/ledger.ts';
import { ledgerValue } from '../crash/ledger-value.ts';
import type { TopicPartition } from '../crash/topic-partition.ts';
import type { KafkaConnection } from '../harness/kafka-connection.ts';
import { produceBatch } from './partition-client.ts';

const RECORDS_IN_BATCH = 100;

interface Batch {
  readonly firstCounter: number;
  readonly bytes: Buffer;
}

/**
 * Fills a partition batch by batch, about 75 KiB each, as an idempotent producer: a batch that was
 * refused is sent again with the same numbers until it is taken. All is noted in a ledger.
 */
export class LedgerWriter {
  readonly #connection: KafkaConnection;
  readonly #of: TopicPartition;
  readonly #ledger: Ledger;
  readonly #producerId: number;
  #pending: Batch | undefined;
  #nextCounter = 0;
  #slowestMs = 0;

  private constructor(
    connection: KafkaConnection,
    of: TopicPartition,
    { ledger, producerId }: { readonly ledger: Ledger; readonly producerId: number },
  ) {
    this.#connection = connection;
    this.#of = of;
    this.#ledger = ledger;
    this.#producerId = producerId;
  }

  /** Gets a producer id. */
  static async open(
    connection: KafkaConnection,
    of: TopicPartition,
    ledger: Ledger,
  ): Promise<LedgerWriter> {
    const { errorCode, producerId } = await connection.request(initProducerIdApi, 4, {
      transactionalId: null,
      transactionTimeoutMs: 60_000,
      producerId: -1,
      producerEpoch: -1,
    });
    if (errorCode !== ErrorCode.NONE) throw new Error(`InitProducerId: error ${errorCode}`);
    ledger.producer(producerId);
    return new LedgerWriter(connection, of, { ledger, producerId });
  }

  /** The longest that an answer has taken since the last look, in ms. */
  takeSlowestMs(): number {
    const slowestMs = this.#slowestMs;
    this.#slowestMs = 0;
    return slowestMs;
  }

  /** Sends the next batch, or again the one that was refused. @returns the error code */
  async send(): Promise<number> {
    this.#pending ??= this.#next();
    const { bytes, firstCounter } = this.#pending;
    const startedMs = performance.now();
    const { errorCode, baseOffset } = await produceBatch(this.#connection, this.#of, bytes);
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedMs);
    if (errorCode !== ErrorCode.NONE) return errorCode;
    this.#pending = undefined;
    this.#ledger.acknowledged(this.#of, {
      baseOffset,
      producerId: this.#producerId,
      firstCounter,
      count: RECORDS_IN_BATCH,
    });
    return errorCode;
  }

  /** Sends so many batches. @throws Error when one is refused */
  async write(batches: number): Promise<void> {
    for (let index = 0; index < batches; index += 1) {
      const errorCode = await this.send();
      if (errorCode !== ErrorCode.NONE) throw new Error(`producing: error ${errorCode}`);
    }
  }

  #next(): Batch {
    const producerId = this.#producerId;
    const firstCounter = this.#nextCounter;
    const builder = new BatchBuilder({ producerId, producerEpoch: 0, baseSequence: firstCounter });
    for (let index = 0; index < RECORDS_IN_BATCH; index += 1) {
      const id = { producerId, counter: firstCounter + index };
      this.#ledger.sent(this.#of, id);
      builder.append({ timestamp: Date.now(), value: ledgerValue(id) });
    }
    this.#nextCounter += RECORDS_IN_BATCH;
    return { firstCounter, bytes: builder.build() };
  }
}
