import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { offsetForLeaderEpochApi } from '@logloft/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { batchOf, listOffset, produce } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

const LATEST = -1;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-epochs-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** One life of the broker; each is a leader epoch of its own. */
async function life<T>(work: (client: WireClient) => Promise<T>): Promise<T> {
  await using broker = await startBroker({ directory, topics: [{ name: 't' }] });
  await using client = await WireClient.connect(broker);
  return await work(client);
}

async function endOf(client: WireClient, leaderEpoch: number) {
  const wanted = { partition: 0, currentLeaderEpoch: -1, leaderEpoch };
  const { topics } = await client.call(offsetForLeaderEpochApi, 4, {
    replicaId: -1,
    topics: [{ topic: 't', partitions: [wanted] }],
  });
  return topics[0]?.partitions[0];
}

test('an epoch in which nothing was appended ends where the log ends, so that no client resets its position', async () => {
  await life((client) => produce(client, 't', batchOf(['a', 'b'])));
  const { offset, leaderEpoch } = await life((client) => listOffset(client, 't', LATEST));
  expect([offset, leaderEpoch]).toEqual([2, 1]);
  await life(async (client) => {
    expect(await endOf(client, 1)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 2 });
    expect(await endOf(client, 2)).toMatchObject({ errorCode: 0, leaderEpoch: 2, endOffset: 2 });
    await produce(client, 't', batchOf(['c']));
    expect(await endOf(client, 0)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 2 });
    expect(await endOf(client, 1)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 2 });
    expect(await endOf(client, 2)).toMatchObject({ errorCode: 0, leaderEpoch: 2, endOffset: 3 });
  });
});

test('the epochs of a topic without records are known from its beginning on', async () => {
  await life(async (client) => {
    expect(await endOf(client, 0)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 0 });
  });
  await life(async (client) => {
    expect(await endOf(client, 0)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 0 });
  });
});

test('an epoch that has not begun is unknown', async () => {
  await life(async (client) => {
    expect(await endOf(client, 1)).toMatchObject({ errorCode: 0, leaderEpoch: -1, endOffset: -1 });
    expect(await endOf(client, -1)).toMatchObject({ errorCode: 0, leaderEpoch: -1, endOffset: -1 });
  });
});
