import { encodeRequest, fetchApi, ZERO_UUID } from '@logloft/protocol';

const FETCH_VERSION = 12;
const CLIENT_ID = 'bench';
// Written where the offset belongs, to find the place in the bytes.
const MARK = 0x1234_5678_9abc;
const MARK_BYTES = Buffer.from('0000123456789abc', 'hex');

/** How a fetch asks. */
export interface FetchFrameOptions {
  readonly topic: string;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
}

/** Makes fetch requests for partition 0 that differ in their offset. */
export class FetchFrames {
  readonly #template: Buffer;
  readonly #place: number;

  constructor({ topic, maxBytes, maxWaitMs }: FetchFrameOptions) {
    const frame = encodeRequest(
      fetchApi,
      { version: FETCH_VERSION, correlationId: 1, clientId: CLIENT_ID },
      {
        clusterId: null,
        replicaId: -1,
        replicaState: null,
        maxWaitMs,
        minBytes: 1,
        maxBytes,
        isolationLevel: 0,
        sessionId: 0,
        sessionEpoch: -1,
        topics: [
          {
            topic,
            topicId: ZERO_UUID,
            partitions: [
              {
                partition: 0,
                currentLeaderEpoch: -1,
                fetchOffset: MARK,
                lastFetchedEpoch: -1,
                logStartOffset: -1,
                partitionMaxBytes: maxBytes,
                replicaDirectoryId: ZERO_UUID,
              },
            ],
          },
        ],
        forgottenTopicsData: [],
        rackId: '',
      },
    );
    this.#template = Buffer.concat(frame.chunks);
    this.#place = this.#template.indexOf(MARK_BYTES);
  }

  from(offset: number): Buffer {
    const frame = Buffer.from(this.#template);
    frame.writeInt32BE(Math.floor(offset / 2 ** 32), this.#place);
    frame.writeUInt32BE(offset % 2 ** 32, this.#place + 4);
    return frame;
  }
}

/**
 * Bytes of records in a fetch response about one partition.
 *
 * @param head a response without its length: correlation id, tags, throttle time, error, session,
 *   topics (1), name, partitions (1), index, error, three offsets, aborted transactions (none),
 *   preferred replica, records
 * @throws Error when it tells of an error
 */
export function fetchedBytes(head: Buffer, topic: string): number {
  let at = 4 + 1 + 4;
  let code = head.readInt16BE(at);
  at += 2 + 4 + 1 + (1 + topic.length) + 1 + 4;
  if (code === 0) code = head.readInt16BE(at);
  if (code !== 0) throw new Error(`The broker refused a fetch with error ${code}`);
  at += 2 + 8 + 8 + 8 + 1 + 4;
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = head[at++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value - 1;
  }
}
