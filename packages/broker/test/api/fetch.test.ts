import {
  ErrorCode,
  fetchApi,
  type OffsetForLeaderEpochResponsePartition,
  offsetForLeaderEpochApi,
} from '@logloft/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import {
  batchOf,
  fetch,
  fetchPartition,
  fetchRequest,
  listOffset,
  produce,
  recordsIn,
  topicMetadata,
} from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;
let topicNumber = 0;
let topic: string;

beforeAll(async () => {
  broker = await startBroker({ config: { 'message.max.bytes': '100000' } });
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

beforeEach(async () => {
  topicNumber += 1;
  topic = `topic-${topicNumber}`;
  await broker.createTopic({ name: topic });
  if (client.isClosed) client = await WireClient.connect(broker);
});

describe('Fetch', () => {
  test.each([4, 7, 11, 12, 15, 17])(
    'version %i gives whole batches from the offset on',
    async (version) => {
      await produce(client, topic, batchOf(['a', 'b']));
      await produce(client, topic, batchOf(['c']));
      const { topicId } = await topicMetadata(client, topic, { version: 12 });
      const request = fetchRequest(topic, { fetchOffset: 1 });
      request.topics = request.topics.map((wanted) => ({ ...wanted, topicId }));
      const response = await client.call(fetchApi, version, request);
      const answer = response.responses[0]?.partitions[0];
      expect(answer).toMatchObject({ errorCode: 0, highWatermark: 3 });
      if (version >= 5) expect(answer?.logStartOffset).toBe(0);
      expect(answer === undefined ? [] : recordsIn(answer).map(({ offset }) => offset)).toEqual([
        0, 1, 2,
      ]);
    },
  );

  test('an offset out of range tells where the log begins and ends (cases D 79)', async () => {
    await produce(client, topic, batchOf(['a']));
    for (const fetchOffset of [5, -1]) {
      expect(await fetch(client, topic, { fetchOffset })).toMatchObject({
        errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
        highWatermark: 1,
        logStartOffset: 0,
      });
    }
  });

  test('at the end it waits, and is woken by the next append within its time', async () => {
    const waiting = fetch(client, topic, {}, { maxWaitMs: 30_000 });
    const other = await WireClient.connect(broker);
    await produce(other, topic, batchOf(['wake']));
    const answer = await waiting;
    expect(recordsIn(answer)).toHaveLength(1);
    other.socket.destroy();
  });

  test('it waits for minBytes, and answers with less when its time is over (cases D 81)', async () => {
    await produce(client, topic, batchOf(['a']));
    const start = performance.now();
    const answer = await fetch(client, topic, {}, { maxWaitMs: 60, minBytes: 1_000_000 });
    expect(performance.now() - start).toBeGreaterThanOrEqual(59);
    expect(recordsIn(answer)).toHaveLength(1);
  });

  test('one without partitions is answered at once, whatever it says of waiting', async () => {
    const answer = await client.call(fetchApi, 12, {
      ...fetchRequest(topic),
      maxWaitMs: 60_000,
      topics: [],
    });
    expect(answer).toMatchObject({ errorCode: 0, sessionId: 0, responses: [] });
  });

  test('the first batch is given whole even beyond every limit, and the others stay within them', async () => {
    await produce(client, topic, batchOf(['x'.repeat(5000)]));
    await produce(client, topic, batchOf(['y'.repeat(5000)]));
    const answer = await fetch(client, topic, { partitionMaxBytes: 1 }, { maxBytes: 1 });
    expect(recordsIn(answer)).toHaveLength(1);
  });

  test('an error of one partition leaves the others whole, and is answered at once', async () => {
    await produce(client, topic, batchOf(['a']));
    const request = fetchRequest(topic, {}, { maxWaitMs: 60_000, minBytes: 1_000_000 });
    request.topics[0]?.partitions.push(fetchPartition({ partition: 7 }));
    const response = await client.call(fetchApi, 12, request);
    const [good, bad] = response.responses[0]?.partitions ?? [];
    expect(good?.errorCode).toBe(0);
    expect(bad?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(good === undefined ? 0 : recordsIn(good).length).toBe(1);
  });

  test('empty data is never null, at which old clients stumble', async () => {
    const answer = await fetch(client, topic);
    expect(answer.records).toEqual(Buffer.alloc(0));
  });

  test('sessions are declined; one of an earlier life is error 70', async () => {
    const declined = await client.call(fetchApi, 12, fetchRequest(topic, {}, { sessionEpoch: 0 }));
    expect(declined).toMatchObject({ errorCode: 0, sessionId: 0 });
    const stale = await client.call(
      fetchApi,
      12,
      fetchRequest(topic, {}, { sessionId: 77, sessionEpoch: 5 }),
    );
    expect(stale).toMatchObject({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses: [] });
  });

  test('a parked fetch ends when its topic is deleted', async () => {
    const waiting = fetch(client, topic, {}, { maxWaitMs: 60_000 });
    const other = await WireClient.connect(broker);
    await topicMetadata(other, topic);
    await broker.deleteTopic(topic);
    expect((await waiting).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    other.socket.destroy();
  });
});

describe('ListOffsets', () => {
  test('finds the first record at or after a time, not before, and none behind the last (cases D 84)', async () => {
    await produce(client, topic, batchOf(['a', 'b'], { timestamps: [2000, 4000] }));
    await produce(client, topic, batchOf(['c', 'd'], { timestamps: [6000, 8000] }));
    const found: number[][] = [];
    for (const time of [1000, 2000, 3000, 4000, 5000, 7000, 8000, 9000]) {
      const { offset, timestamp } = await listOffset(client, topic, time);
      found.push([time, offset, timestamp]);
    }
    expect(found).toEqual([
      [1000, 0, 2000],
      [2000, 0, 2000],
      [3000, 1, 4000],
      [4000, 1, 4000],
      [5000, 2, 6000],
      [7000, 3, 8000],
      [8000, 3, 8000],
      [9000, -1, -1],
    ]);
  });

  test('knows the special timestamps of its version, and says so of others', async () => {
    await produce(client, topic, batchOf(['a', 'b', 'c'], { timestamps: [10, 30, 20] }));
    expect(await listOffset(client, topic, -1)).toMatchObject({ offset: 3, timestamp: -1 });
    expect(await listOffset(client, topic, -2)).toMatchObject({ offset: 0, timestamp: -1 });
    expect(await listOffset(client, topic, -3)).toMatchObject({ offset: 1, timestamp: 30 });
    expect(await listOffset(client, topic, -4)).toMatchObject({ offset: 0 });
    expect(await listOffset(client, topic, -5)).toMatchObject({ offset: -1, errorCode: 0 });
    expect((await listOffset(client, topic, -6)).errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
    expect((await listOffset(client, topic, -6, { version: 11 })).errorCode).toBe(0);
    expect((await listOffset(client, topic, -3, { version: 6 })).errorCode).toBe(
      ErrorCode.UNSUPPORTED_VERSION,
    );
  });

  test('an unknown partition is error 3 in its entry (cases D 86)', async () => {
    expect((await listOffset(client, topic, -1, { partition: 99 })).errorCode).toBe(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
  });

  test('the end of the log is never ahead of what can be read (cases D 85)', async () => {
    const other = await WireClient.connect(broker);
    const producing = Promise.all(
      Array.from({ length: 200 }, () => produce(other, topic, batchOf(['x']))),
    );
    for (let i = 0; i < 50; i += 1) {
      const { offset } = await listOffset(client, topic, -1);
      if (offset === 0) continue;
      const answer = await fetch(client, topic, { fetchOffset: offset - 1 });
      expect(answer.errorCode).toBe(0);
      expect(recordsIn(answer).length).toBeGreaterThan(0);
    }
    await producing;
    other.socket.destroy();
  });
});

describe('leader epochs', () => {
  async function endOf(
    leaderEpoch: number,
    currentLeaderEpoch = -1,
  ): Promise<OffsetForLeaderEpochResponsePartition | undefined> {
    const answer = await client.call(offsetForLeaderEpochApi, 4, {
      replicaId: -1,
      topics: [{ topic, partitions: [{ partition: 0, currentLeaderEpoch, leaderEpoch }] }],
    });
    return answer.topics[0]?.partitions[0];
  }

  test('an older epoch of the client is fenced, a newer one unknown, its own and none are fine (cases A 22)', async () => {
    await produce(client, topic, batchOf(['a']));
    for (const [currentLeaderEpoch, errorCode] of [
      [-1, ErrorCode.NONE],
      [0, ErrorCode.NONE],
      [1, ErrorCode.UNKNOWN_LEADER_EPOCH],
    ] as const) {
      expect((await fetch(client, topic, { currentLeaderEpoch })).errorCode).toBe(errorCode);
      expect((await listOffset(client, topic, -1, { currentLeaderEpoch })).errorCode).toBe(
        errorCode,
      );
      expect((await endOf(0, currentLeaderEpoch))?.errorCode).toBe(errorCode);
    }
  });

  test('the end of an epoch is the end of the log for the present one', async () => {
    await produce(client, topic, batchOf(['a', 'b']));
    expect(await endOf(0)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 2 });
  });
});
