import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchApi, joinGroupApi } from '@logloft/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { CountingClock } from '../support/counting-clock.ts';
import { Loft } from '../support/loft.ts';
import { batchOf, fetch, fetchRequest, produce, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-lifecycle-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('one directory', () => {
  test('is used by one broker at a time; the next may have it afterwards', async () => {
    const first = await startBroker({ directory });
    await expect(startBroker({ directory })).rejects.toMatchObject({
      code: 'LOGLOFT_BROKER_DATA_DIRECTORY',
      message: expect.stringContaining(directory),
    });
    // The one that was refused has not taken the lock away.
    await expect(startBroker({ directory })).rejects.toThrow('in use');
    await first.close();
    const second = await startBroker({ directory });
    await second.close();
  });

  test('is refused while the process that holds it lives, and free when it is gone', async () => {
    const lock = join(directory, '.lock');
    await writeFile(lock, JSON.stringify({ pid: process.ppid }));
    await expect(startBroker({ directory })).rejects.toThrow(`process ${process.ppid}`);
    // The process number came back as another program's.
    await writeFile(lock, JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }));
    await (await startBroker({ directory })).close();
    for (const stale of ['', '{', 'null', '{"pid":"x"}', '{"pid":0}', '{"pid":4194999}']) {
      await writeFile(lock, stale);
      await (await startBroker({ directory })).close();
    }
    await expect(readFile(lock)).rejects.toThrow('ENOENT');
  });

  test('that cannot be made or read is an error that names it', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    for (const bad of [file, join(file, 'below')]) {
      await expect(startBroker({ directory: bad })).rejects.toMatchObject({
        code: 'LOGLOFT_BROKER_DATA_DIRECTORY',
        message: expect.stringContaining(bad),
      });
    }
  });
});

test('several brokers live in one process and know nothing of each other', async () => {
  await using first = await startBroker({ topics: [{ name: 't' }] });
  await using second = await startBroker({ config: { 'node.id': '7' } });
  expect(first.clusterId).not.toBe(second.clusterId);
  expect(first.port).not.toBe(second.port);
  expect(second.nodeId).toBe(7);
  await using client = await WireClient.connect(second);
  const topic = await topicMetadata(client, 't', { allowAutoTopicCreation: false });
  expect(topic.errorCode).toBe(3);
  const made = await topicMetadata(client, 't');
  expect(made.partitions[0]).toMatchObject({ leaderId: 7, replicaNodes: [7] });
});

test('a port that is taken is an error that names it and the remedy, and leaves nothing open', async () => {
  await using holder = await startBroker();
  const refused = startBroker({ directory, port: holder.port });
  await expect(refused).rejects.toMatchObject({
    code: 'LOGLOFT_BROKER_PORT_IN_USE',
    port: holder.port,
    message: expect.stringContaining('another port'),
  });
  await (await startBroker({ directory })).close();
});

test('what contradicts itself is refused before anything is opened', async () => {
  for (const options of [
    { port: 1, config: { listeners: 'PLAINTEXT://127.0.0.1:2' } },
    { directory, config: { 'log.dirs': '/elsewhere' } },
    { config: { 'no.such.key': '1' } },
    { config: { 'queued.max.request.bytes': '1000' } },
    { config: { listeners: 'SSL://127.0.0.1:0' } },
  ]) {
    await expect(startBroker(options)).rejects.toMatchObject({
      code: expect.stringMatching(/^LOGLOFT_/),
    });
  }
});

test('initial topics are there when the broker is, and those that exist are kept', async () => {
  const topics = [{ name: 't', partitions: 2, configs: { 'retention.ms': '1000' } }];
  await using first = await startBroker({ directory, topics });
  expect(first.topics).toEqual(['t']);
  await first.close();
  await using again = await startBroker({ directory, topics });
  expect(again.partitionStatus('t', 1)).toMatchObject({
    topic: 't',
    partition: 1,
    localSegments: 1,
  });
  expect(again.partitionStatus('t', 2)).toBe(undefined);
  await again.close();
  await expect(startBroker({ directory, topics: [{ name: 'bad name' }] })).rejects.toMatchObject({
    code: 'LOGLOFT_BROKER_TOPIC',
  });
  await (await startBroker({ directory })).close();
});

describe('close()', () => {
  test('can be called again and at once, and ends what waits', async () => {
    const broker = await startBroker({ topics: [{ name: 't' }] });
    const client = await WireClient.connect(broker);
    const parked = client.call(fetchApi, 12, fetchRequest('t', {}, { maxWaitMs: 60_000 }));
    const joining = await WireClient.connect(broker);
    const join = (memberId: string) =>
      joining.call(joinGroupApi, 9, {
        groupId: 'g',
        sessionTimeoutMs: 30_000,
        rebalanceTimeoutMs: 30_000,
        memberId,
        groupInstanceId: null,
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
        reason: null,
      });
    const { memberId } = await join('');
    await join(memberId);
    const waiting = broker.waitForGroup('never');
    const ended = [parked, waiting].map((promise) =>
      promise.then(
        () => 'answered',
        () => 'dropped',
      ),
    );
    await Promise.all([broker.close(), broker.close(), broker[Symbol.asyncDispose]()]);
    expect(broker.isReady).toBe(false);
    expect(await Promise.all(ended)).toEqual(['dropped', 'dropped']);
    await expect(broker.createTopic({ name: 'x' })).rejects.toMatchObject({
      code: 'LOGLOFT_BROKER_CLOSED',
    });
    await Promise.all([client.closed(), joining.closed()]);
  });

  test('leaves no timer and no socket behind, whatever was going on', async () => {
    const sockets = () =>
      process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
    const before = sockets();
    const clock = new CountingClock();
    await using loft = new Loft();
    const broker = await startBroker({
      directory,
      clock,
      remoteStorage: loft.factory,
      config: { 'rlmm.config.remote.log.metadata.topic.num.partitions': '1' },
      topics: [
        { name: 't', configs: { 'remote.storage.enable': 'true', 'segment.bytes': '1000' } },
      ],
    });
    const clients = await Promise.all(Array.from({ length: 5 }, () => WireClient.connect(broker)));
    for (const client of clients) await produce(client, 't', batchOf(['x'.repeat(900)]));
    for (const client of clients) {
      client
        .call(fetchApi, 12, fetchRequest('t', { fetchOffset: 5 }, { maxWaitMs: 60_000 }))
        .catch(() => undefined);
    }
    expect(clock.liveTimers).toBeGreaterThan(0);
    await broker.close();
    expect(clock.liveTimers).toBe(0);
    await Promise.all(clients.map((client) => client.closed()));
    await vi.waitFor(() => expect(sockets()).toBe(before));
  });

  test('makes durable what was acknowledged while it began', async () => {
    const broker = await startBroker({ directory, topics: [{ name: 't' }] });
    const client = await WireClient.connect(broker);
    let acknowledged = 0;
    let begun = (): void => undefined;
    const someAcknowledged = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const outcomes = Array.from({ length: 50 }, async () => {
      await produce(client, 't', batchOf(['x']));
      acknowledged += 1;
      if (acknowledged === 10) begun();
    });
    const settled = Promise.allSettled(outcomes);
    await someAcknowledged;
    await broker.close();
    await settled;
    await using again = await startBroker({ directory });
    await using reader = await WireClient.connect(again);
    expect((await fetch(reader, 't')).highWatermark).toBeGreaterThanOrEqual(acknowledged);
  });
});
