import {
  encodeResponse,
  type FetchResponsePartition,
  fetchApi,
  produceApi,
} from '@logloft/protocol';

// Written where a base offset belongs, to find the place in the bytes.
const MARK = 0x1234_5678_9abc;
const CORRELATION_AT = 4;
const MARK_BYTES = Buffer.from('0000123456789abc', 'hex');

/** A produce response, encoded once; each answer is a copy with its numbers put in. */
export class ProduceTemplate {
  readonly #bytes: Buffer;
  readonly #offsetPlaces: number[] = [];

  /** For a response about `count` partitions from `first` on. */
  constructor(version: number, topic: string, { first, count }: { first: number; count: number }) {
    const partitionResponses = Array.from({ length: count }, (_, i) => ({
      index: first + i,
      errorCode: 0,
      baseOffset: MARK,
      logAppendTimeMs: -1,
      logStartOffset: 0,
      recordErrors: [],
      errorMessage: null,
      currentLeader: null,
    }));
    const body = {
      responses: [{ name: topic, partitionResponses }],
      throttleTimeMs: 0,
      nodeEndpoints: [],
    };
    this.#bytes = Buffer.concat(encodeResponse(produceApi, version, 0, body).chunks);
    let at = this.#bytes.indexOf(MARK_BYTES);
    while (at >= 0) {
      this.#offsetPlaces.push(at);
      at = this.#bytes.indexOf(MARK_BYTES, at + 1);
    }
  }

  fill(correlationId: number, baseOffsets: readonly number[]): Buffer {
    const bytes = Buffer.from(this.#bytes);
    bytes.writeInt32BE(correlationId, CORRELATION_AT);
    for (const [i, place] of this.#offsetPlaces.entries()) {
      const offset = baseOffsets[i] ?? 0;
      bytes.writeInt32BE(Math.floor(offset / 2 ** 32), place);
      bytes.writeUInt32BE(offset % 2 ** 32, place + 4);
    }
    return bytes;
  }
}

/** What goes before and behind the records of a fetch response. */
export interface FetchEnvelope {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The envelope of a response with `bytes` bytes of records. */
export function fetchEnvelope(version: number, topic: string, bytes: number): FetchEnvelope {
  const records = Buffer.alloc(bytes);
  const partition: FetchResponsePartition = {
    partitionIndex: 0,
    errorCode: 0,
    highWatermark: MARK,
    lastStableOffset: MARK,
    logStartOffset: 0,
    divergingEpoch: null,
    currentLeader: null,
    snapshotId: null,
    abortedTransactions: null,
    preferredReadReplica: -1,
    records,
  };
  const whole = Buffer.concat(
    encodeResponse(fetchApi, version, 0, {
      throttleTimeMs: 0,
      errorCode: 0,
      sessionId: 0,
      responses: [{ topic, topicId: 'AAAAAAAAAAAAAAAAAAAAAA', partitions: [partition] }],
      nodeEndpoints: [],
    }).chunks,
  );
  // Flexible versions end with the tags of the partition, the topic and the message.
  const tailBytes = version >= fetchApi.flexibleFrom ? 3 : 0;
  const headBytes = whole.length - tailBytes - bytes;
  return { head: whole.subarray(0, headBytes), tail: whole.subarray(headBytes + bytes) };
}
