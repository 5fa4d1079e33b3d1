import {
  decodeRequest,
  decodeRequestHeader,
  encodeResponse,
  type FetchResponsePartition,
  fetchApi,
  type ProduceResponsePartition,
  produceApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { expect, test } from 'vitest';
import { FetchFrames, fetchedBytes } from '../../src/peers/fetch-frames.ts';
import { checkProduced, PRODUCE_VERSION, produceFrame } from '../../src/peers/produce-frames.ts';
import { fetchEnvelope, ProduceTemplate } from '../../src/peers/response-templates.ts';
import { sizedBatch } from '../../src/peers/sized-batch.ts';

const LENGTH_BYTES = 4;

test('a produce frame carries the batch for each partition asked for', () => {
  const { batch } = sizedBatch(1024);
  const frame = produceFrame('bench', [3, 4], batch).subarray(LENGTH_BYTES);
  const header = decodeRequestHeader(frame);
  const request = decodeRequest(produceApi, header.apiVersion, frame, header.bodyOffset);
  const partitions = request.topicData[0]?.partitionData ?? [];
  expect(partitions.map(({ index }) => index)).toEqual([3, 4]);
  expect(partitions.every(({ records }) => records?.equals(batch) === true)).toBe(true);
});

test('a fetch frame asks from the offset given', () => {
  const frames = new FetchFrames({ topic: 'bench', maxBytes: 65_536, maxWaitMs: 500 });
  for (const offset of [0, 77, 2 ** 40 + 5]) {
    const frame = frames.from(offset).subarray(LENGTH_BYTES);
    const header = decodeRequestHeader(frame);
    const request = decodeRequest(fetchApi, header.apiVersion, frame, header.bodyOffset);
    expect(request.topics[0]?.partitions[0]?.fetchOffset).toBe(offset);
  }
});

function produceAnswer(partitions: number, errorCode: number): Buffer {
  const partitionResponses = Array.from(
    { length: partitions },
    (_, index): ProduceResponsePartition => ({
      index,
      errorCode: index === 0 ? errorCode : 0,
      baseOffset: 5,
      logAppendTimeMs: -1,
      logStartOffset: 0,
      recordErrors: [],
      errorMessage: null,
      currentLeader: null,
    }),
  );
  const body = {
    responses: [{ name: 'bench', partitionResponses }],
    throttleTimeMs: 0,
    nodeEndpoints: [],
  };
  const { chunks } = encodeResponse(produceApi, PRODUCE_VERSION, 1, body);
  return Buffer.concat(chunks).subarray(LENGTH_BYTES);
}

test.each([1, 64, 200])('a refusal is found in an answer about %i partitions', (partitions) => {
  expect(() => checkProduced(produceAnswer(partitions, 0), 'bench', partitions)).not.toThrow();
  expect(() => checkProduced(produceAnswer(partitions, 3), 'bench', partitions)).toThrow('error 3');
});

function fetchAnswer(bytes: number, errorCode: number): Buffer {
  const partition: FetchResponsePartition = {
    partitionIndex: 0,
    errorCode,
    highWatermark: 9,
    lastStableOffset: 9,
    logStartOffset: 0,
    divergingEpoch: null,
    currentLeader: null,
    snapshotId: null,
    abortedTransactions: null,
    preferredReadReplica: -1,
    records: Buffer.alloc(bytes),
  };
  const body = {
    throttleTimeMs: 0,
    errorCode: 0,
    sessionId: 0,
    responses: [{ topic: 'bench', topicId: ZERO_UUID, partitions: [partition] }],
    nodeEndpoints: [],
  };
  return Buffer.concat(encodeResponse(fetchApi, 12, 1, body).chunks).subarray(LENGTH_BYTES);
}

test.each([0, 100, 65_536])('%i bytes of records are found in an answer', (bytes) => {
  expect(fetchedBytes(fetchAnswer(bytes, 0), 'bench')).toBe(bytes);
  expect(() => fetchedBytes(fetchAnswer(bytes, 1), 'bench')).toThrow('error 1');
});

test('the peer answers what a broker would, byte by byte', () => {
  const template = new ProduceTemplate(PRODUCE_VERSION, 'bench', { first: 0, count: 2 });
  const filled = template.fill(1, [5, 5]).subarray(LENGTH_BYTES);
  expect(filled).toEqual(produceAnswer(2, 0));
  const { head, tail } = fetchEnvelope(12, 'bench', 1000);
  const whole = Buffer.concat([head, Buffer.alloc(1000), tail]).subarray(LENGTH_BYTES);
  expect(whole.length).toBe(fetchAnswer(1000, 0).length);
  expect(fetchedBytes(whole, 'bench')).toBe(1000);
});
