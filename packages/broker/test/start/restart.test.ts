import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deleteRecordsApi,
  describeTopicPartitionsApi,
  ErrorCode,
  initProducerIdApi,
  offsetForLeaderEpochApi,
} from '@logloft/protocol';
import { BATCH_FIELD } from '@logloft/records';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import {
  batchOf,
  fetch,
  listOffset,
  produce,
  recordsIn,
  topicMetadata,
} from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let directory: string;
let broker: Broker;
let client: WireClient;

async function start(options: Parameters<typeof startBroker>[0] = {}): Promise<void> {
  broker = await startBroker({ directory, ...options });
  client = await WireClient.connect(broker);
}

async function stop(): Promise<void> {
  await client[Symbol.asyncDispose]();
  await broker.close();
}

async function endOfEpoch(leaderEpoch: number, currentLeaderEpoch = -1) {
  const { topics } = await client.call(offsetForLeaderEpochApi, 4, {
    replicaId: -1,
    topics: [{ topic: 't', partitions: [{ partition: 0, currentLeaderEpoch, leaderEpoch }] }],
  });
  return topics[0]?.partitions[0];
}

async function newProducerId(version = 4): Promise<number> {
  const answer = await client.call(initProducerIdApi, version, {
    transactionalId: null,
    transactionTimeoutMs: 1000,
    producerId: -1,
    producerEpoch: -1,
  });
  expect(answer).toMatchObject({ errorCode: 0, producerEpoch: 0 });
  return answer.producerId;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-restart-'));
  await start({ topics: [{ name: 't', partitions: 2 }] });
});

afterEach(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

describe('over a restart', () => {
  test('topics, their ids and partitions, the cluster id and the data stay', async () => {
    await produce(client, 't', batchOf(['a', 'b']));
    await produce(client, 't', batchOf(['c']), { partition: 1 });
    const before = await topicMetadata(client, 't', { version: 12 });
    const { clusterId } = broker;
    await stop();
    await start();
    const after = await topicMetadata(client, 't', { version: 12 });
    expect(after.topicId).toBe(before.topicId);
    expect(after.partitions).toHaveLength(2);
    expect(broker.clusterId).toBe(clusterId);
    const values = async (partition: number) =>
      recordsIn(await fetch(client, 't', { partition })).map(({ value }) => value?.toString());
    expect([await values(0), await values(1)]).toEqual([['a', 'b'], ['c']]);
    expect(await produce(client, 't', batchOf(['d']))).toMatchObject({ baseOffset: 2 });
  });

  test('the leader epoch grows, and is the same wherever it is told (cases A 21)', async () => {
    await produce(client, 't', batchOf(['old'], { timestamps: [1000] }));
    for (const epoch of [1, 2]) {
      await stop();
      await start();
      await produce(client, 't', batchOf(['new'], { timestamps: [1000 * (epoch + 1)] }));
      const metadata = await topicMetadata(client, 't');
      expect(metadata.partitions[0]?.leaderEpoch).toBe(epoch);
      const described = await client.call(describeTopicPartitionsApi, 0, {
        topics: [{ name: 't' }],
        responsePartitionLimit: 10,
        cursor: null,
      });
      expect(described.topics[0]?.partitions[0]?.leaderEpoch).toBe(epoch);
      expect((await listOffset(client, 't', -1)).leaderEpoch).toBe(epoch);
      const found = await listOffset(client, 't', 1000 * (epoch + 1));
      expect(found).toMatchObject({ offset: epoch, leaderEpoch: epoch });
      const { records } = await fetch(client, 't', { fetchOffset: epoch });
      expect(
        Buffer.isBuffer(records) && records.readInt32BE(BATCH_FIELD.partitionLeaderEpoch),
      ).toBe(epoch);
      expect(await endOfEpoch(epoch)).toMatchObject({
        errorCode: 0,
        leaderEpoch: epoch,
        endOffset: epoch + 1,
      });
    }
    // Older epochs ended where the next began; the future is not known.
    expect(await endOfEpoch(0)).toMatchObject({ leaderEpoch: 0, endOffset: 1 });
    expect(await endOfEpoch(1)).toMatchObject({ leaderEpoch: 1, endOffset: 2 });
    expect((await listOffset(client, 't', -2)).leaderEpoch).toBe(0);
  });

  test('an epoch of before is fenced, one to come unknown, and both recover by metadata (cases A 22)', async () => {
    await produce(client, 't', batchOf(['a']));
    await stop();
    await start();
    for (const [currentLeaderEpoch, errorCode] of [
      [0, ErrorCode.FENCED_LEADER_EPOCH],
      [1, ErrorCode.NONE],
      [2, ErrorCode.UNKNOWN_LEADER_EPOCH],
    ] as const) {
      expect((await fetch(client, 't', { currentLeaderEpoch })).errorCode).toBe(errorCode);
      expect((await listOffset(client, 't', -1, { currentLeaderEpoch })).errorCode).toBe(errorCode);
      expect((await endOfEpoch(0, currentLeaderEpoch))?.errorCode).toBe(errorCode);
    }
    // A client whose last record is of an epoch that ended earlier here is told where (KIP-595).
    await produce(client, 't', batchOf(['b']));
    const diverged = await fetch(client, 't', { fetchOffset: 2, lastFetchedEpoch: 0 });
    expect(diverged).toMatchObject({ errorCode: 0, divergingEpoch: { epoch: 0, endOffset: 1 } });
  });

  test('producer ids are never given twice, and idempotent producers go on where they were', async () => {
    const id = await newProducerId();
    const batch = (baseSequence: number) =>
      batchOf(['v'], { producerId: id, producerEpoch: 0, baseSequence });
    await produce(client, 't', batch(0));
    await produce(client, 't', batch(1));
    const ids = [id];
    for (let version = 0; version <= 5; version += 1) {
      await stop();
      await start();
      ids.push(await newProducerId(version), await newProducerId(version));
    }
    expect(new Set(ids).size).toBe(ids.length);
    // A repetition is known, a gap refused, the next one taken.
    expect(await produce(client, 't', batch(1))).toMatchObject({ errorCode: 0, baseOffset: 1 });
    expect((await produce(client, 't', batch(5))).errorCode).toBe(
      ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    );
    expect(await produce(client, 't', batch(2))).toMatchObject({ errorCode: 0, baseOffset: 2 });
  });

  test('a topic that was deleted stays deleted, and one that was made again is the new one', async () => {
    await produce(client, 't', batchOf(['old']));
    await broker.createTopic({ name: 'gone' });
    await broker.deleteTopic('gone');
    await broker.deleteTopic('t');
    await broker.createTopic({ name: 't' });
    const { topicId } = await topicMetadata(client, 't', { version: 12 });
    await stop();
    await start();
    expect(broker.topics).toEqual(['t']);
    const after = await topicMetadata(client, 't', { version: 12 });
    expect(after).toMatchObject({ topicId, partitions: [{ partitionIndex: 0 }] });
    expect((await fetch(client, 't')).highWatermark).toBe(0);
  });

  test('the log start that DeleteRecords moved stays, also without a clean stop', async () => {
    for (const value of ['a', 'b', 'c']) await produce(client, 't', batchOf([value]));
    await client.call(deleteRecordsApi, 2, {
      topics: [{ name: 't', partitions: [{ partitionIndex: 0, offset: 2 }] }],
      timeoutMs: 1000,
    });
    const copy = `${directory}-copy`;
    cpSync(directory, copy, { recursive: true });
    await using survivor = await startBroker({ directory: copy });
    await using own = await WireClient.connect(survivor);
    expect((await listOffset(own, 't', -2)).offset).toBe(2);
    expect((await listOffset(own, 't', -1)).offset).toBe(3);
    await survivor.close();
    await rm(copy, { recursive: true });
  });
});

test('what was acknowledged is there after a stop that was none', async () => {
  const values = Array.from({ length: 200 }, (_, index) => `value-${index}`);
  for (const value of values) await produce(client, 't', batchOf([value]));
  // The directory as a killed process would leave it, its lock included.
  const copy = `${directory}-killed`;
  cpSync(directory, copy, { recursive: true });
  await using survivor = await startBroker({ directory: copy });
  await using own = await WireClient.connect(survivor);
  const records = recordsIn(await fetch(own, 't'));
  expect(records.map(({ value }) => value?.toString())).toEqual(values);
  expect(survivor.clusterId).toBe(broker.clusterId);
  expect((await topicMetadata(own, 't')).partitions[0]?.leaderEpoch).toBe(1);
  await survivor.close();
  await rm(copy, { recursive: true });
});
