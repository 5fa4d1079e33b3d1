import { BufferPool } from '@logloft/bufferpool';
import { BatchSender, RecordAccumulator } from '@logloft/bufferpool/accumulator';
import type { Clock } from '@logloft/clock';

interface Message {
  readonly key: string;
  readonly value: string;
}

/** The one method of a kafkajs producer that is needed. */
interface Producer {
  send(record: { topic: string; messages: Message[] }): Promise<unknown>;
}

/** Most that a record takes besides its key and value: Kafka's `MAX_RECORD_OVERHEAD`, in bytes. */
const RECORD_OVERHEAD = 21;

export function boundedProducer(producer: Producer, clock: Clock) {
  const pool = new BufferPool(
    { totalBytes: 32 * 1024 * 1024, poolableBytes: 16 * 1024 },
    { clock },
  );
  const accumulator = new RecordAccumulator<Message>(
    {
      lingerMs: 5,
      estimatedBytes: ({ key, value }) =>
        RECORD_OVERHEAD + Buffer.byteLength(key) + Buffer.byteLength(value),
    },
    { pool, clock },
  );
  const sender = new BatchSender(accumulator, {
    send: ({ partition, records }) => producer.send({ topic: partition, messages: [...records] }),
    isRetryable: (error) =>
      error instanceof Error && 'retriable' in error && error.retriable === true,
  });

  return {
    /** Waits while 32 MiB are on their way, and resolves when the message has been delivered. */
    async send(topic: string, message: Message): Promise<void> {
      const batch = await accumulator.append(topic, message, { maxBlockMs: 60_000 });
      await batch.settled();
    },
    close: (): Promise<void> => sender.close(),
  };
}
