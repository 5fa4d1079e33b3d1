import { encodeRequest, produceApi } from '@logloft/protocol';

/** The version that raw loads speak: the first with compact lengths and tags. */
export const PRODUCE_VERSION: number = 9;

const CLIENT_ID = 'bench';
const TIMEOUT_MS = 30_000;

/** A whole produce frame with `batch` for each of `partitions`. It may be sent again and again. */
export function produceFrame(topic: string, partitions: readonly number[], batch: Buffer): Buffer {
  const frame = encodeRequest(
    produceApi,
    { version: PRODUCE_VERSION, correlationId: 1, clientId: CLIENT_ID },
    {
      transactionalId: null,
      acks: 1,
      timeoutMs: TIMEOUT_MS,
      topicData: [
        { name: topic, partitionData: partitions.map((index) => ({ index, records: batch })) },
      ],
    },
  );
  return Buffer.concat(frame.chunks);
}

/**
 * Looks at the error of the first partition in a produce response.
 *
 * @param head a response without its length: correlation id, tags, topics (1), name, partitions, index
 * @throws Error when there is one
 */
export function checkProduced(head: Buffer, topic: string, partitions: number): void {
  const countBytes = partitions + 1 < 128 ? 1 : 2;
  const at = 4 + 1 + 1 + (1 + topic.length) + countBytes + 4;
  const code = head.readInt16BE(at);
  if (code !== 0) throw new Error(`The broker refused a batch with error ${code}`);
}
