import type { Kafka, Message } from 'kafkajs';
import { ContentDigest } from './content-digest.ts';
import type { InputFile } from './input-files.ts';
import { piecesOf } from './record-pieces.ts';

/** What to send, and where. */
export interface ProduceRequest {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  readonly files: readonly InputFile[];
  /** Called with the bytes of values that were acknowledged. */
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** What was acknowledged. */
export interface Produced {
  /** By partition. */
  readonly records: readonly number[];
  /** By partition, over the files as they were read from disk. */
  readonly digests: readonly ContentDigest[];
}

/** Far below the size of a segment, with what each record takes beside its value. */
const MAX_BATCH_BYTES = 96 * 1024;
const RECORD_OVERHEAD_BYTES = 16;

/**
 * Sends files with an idempotent producer, each file to one partition and its lines in order; the
 * partitions side by side.
 *
 * @throws what kafkajs says, and the reason of the signal
 */
export async function produce(request: ProduceRequest): Promise<Produced> {
  const { kafka, partitions, files, signal } = request;
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    // Each message names its partition.
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition ?? 0,
  });
  await producer.connect();
  try {
    const failed = new AbortController();
    const lanes = Array.from({ length: partitions }, async (_, partition) => {
      const own = files.filter((_file, index) => index % partitions === partition);
      const send = async (messages: readonly Message[]): Promise<void> => {
        AbortSignal.any([signal, failed.signal]).throwIfAborted();
        const placed = messages.map((message) => ({ ...message, partition }));
        await producer.send({ topic: request.topic, acks: -1, messages: placed });
        request.onProgress(bytesOf(messages));
      };
      return await sendLane(own, send).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
    });
    // All of them have ended before the producer goes.
    await Promise.allSettled(lanes);
    const sent = await Promise.all(lanes);
    return {
      records: sent.map(({ records }) => records),
      digests: sent.map((lane) => lane.digest),
    };
  } finally {
    await producer.disconnect();
  }
}

async function sendLane(
  files: readonly InputFile[],
  send: (messages: readonly Message[]) => Promise<void>,
): Promise<{ readonly records: number; readonly digest: ContentDigest }> {
  const digest = new ContentDigest();
  let records = 0;
  let batch: Message[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    await send(batch);
    records += batch.length;
    batch = [];
    batchBytes = 0;
  };
  for (const { name, bytes } of files) {
    digest.begin(name);
    digest.add(bytes);
    // The first record of a file carries its name.
    let key: string | null = name;
    for (const value of piecesOf(bytes)) {
      const size = value.byteLength + (key?.length ?? 0) + RECORD_OVERHEAD_BYTES;
      if (batchBytes + size > MAX_BATCH_BYTES) await flush();
      batch.push({ key, value });
      batchBytes += size;
      key = null;
    }
  }
  await flush();
  return { records, digest };
}

function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}
