import { ErrorCode, fetchApi } from '@logloft/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { alterConfigs, RESOURCE } from '../support/admin-requests.ts';
import { Loft } from '../support/loft.ts';
import { fetch, fetchPartition, fetchRequest, listOffset, recordsIn } from '../support/requests.ts';
import {
  COLD,
  fill,
  quickTiering,
  readBack,
  SEGMENT_BYTES,
  untilCold,
} from '../support/tiered-topic.ts';
import { WireClient } from '../support/wire-client.ts';

const WAIT = { timeout: 4000, interval: 10 };
const RECORDS = 60;
const TOPIC = 'cold';

let loft: Loft;
let broker: Broker;
let client: WireClient;

async function start(config: Record<string, string> = {}): Promise<void> {
  broker = await startBroker({ ...quickTiering(config), remoteStorage: loft.factory });
  client = await WireClient.connect(broker);
}

beforeEach(() => {
  loft = new Loft();
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
  await loft[Symbol.asyncDispose]();
});

function status(topic = TOPIC) {
  const found = broker.partitionStatus(topic, 0);
  if (found === undefined) throw new Error('no such partition');
  return found;
}

describe('a store that fails', () => {
  test('producers and local reads notice nothing while copying fails, and it is made up for later', async () => {
    await start();
    loft.copyFault = 'fails';
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await vi.waitFor(() => expect(loft.copies.length).toBeGreaterThan(2), WAIT);
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
    expect(status()).toMatchObject({ localLogStartOffset: 0, highestOffsetInRemoteStorage: -1 });
    expect(status().remote?.copyLag.segments).toBeGreaterThan(2);
    loft.copyFault = 'none';
    await untilCold(broker, TOPIC);
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
    // Nothing of the failed tries is left behind.
    const segments = status().remote?.segments.filter(({ place }) => place === 'remote');
    await vi.waitFor(async () => {
      expect(await loft.segments()).toHaveLength(segments?.length ?? 0);
    }, WAIT);
  });

  test('cold reads and look-ups are told so, local ones go on, and all recovers', async () => {
    await start();
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    const localStart = await untilCold(broker, TOPIC);
    loft.fault = 'fails';
    expect(await fetch(client, TOPIC)).toMatchObject({
      errorCode: ErrorCode.KAFKA_STORAGE_ERROR,
      records: Buffer.alloc(0),
    });
    expect((await listOffset(client, TOPIC, 1)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(await readBack(client, TOPIC, localStart)).toBe(RECORDS);
    loft.fault = 'none';
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });

  test('bytes that are no batches are an error of the partition, and never sent as data', async () => {
    await start();
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await untilCold(broker, TOPIC);
    loft.fault = 'corrupts';
    const answer = await fetch(client, TOPIC);
    expect(answer.errorCode).toBe(ErrorCode.CORRUPT_MESSAGE);
    expect(answer.records).toEqual(Buffer.alloc(0));
    loft.fault = 'none';
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });

  test('an object that somebody removed is KAFKA_STORAGE_ERROR', async () => {
    await start();
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await untilCold(broker, TOPIC);
    await loft.store.delete(await loft.keys());
    expect((await fetch(client, TOPIC)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  });

  test('one that hangs costs a fetch remote.fetch.max.wait.ms: cold data is missing without error, local data is there', async () => {
    await start({ 'remote.fetch.max.wait.ms': '100' });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await broker.createTopic({ name: 'warm' });
    await fill(client, TOPIC, { to: RECORDS });
    await fill(client, 'warm', { to: 1 });
    await untilCold(broker, TOPIC);
    loft.fault = 'hangs';
    const request = fetchRequest(TOPIC, {}, { maxWaitMs: 60_000, minBytes: 1_000_000 });
    const [warm] = fetchRequest('warm').topics;
    if (warm !== undefined) request.topics.push(warm);
    const begun = performance.now();
    const { responses } = await client.call(fetchApi, 12, request);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(99);
    const [coldAnswer, warmAnswer] = responses.map(({ partitions }) => partitions[0]);
    expect(coldAnswer).toMatchObject({ errorCode: 0, records: Buffer.alloc(0), logStartOffset: 0 });
    expect(warmAnswer?.errorCode).toBe(0);
    expect(warmAnswer === undefined ? 0 : recordsIn(warmAnswer).length).toBe(1);
    loft.fault = 'none';
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });

  test('a look-up in one that hangs ends with REQUEST_TIMED_OUT, in the time that the request or the broker allows (KIP-1075)', async () => {
    await start({ 'remote.list.offsets.request.timeout.ms': '80' });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await untilCold(broker, TOPIC);
    loft.fault = 'hangs';
    for (const version of [9, 11]) {
      const begun = performance.now();
      const cold = await listOffset(client, TOPIC, 1, { version });
      expect(performance.now() - begun).toBeGreaterThanOrEqual(79);
      expect(cold).toMatchObject({ errorCode: ErrorCode.REQUEST_TIMED_OUT, offset: -1 });
    }
    // What needs no look-up in the remote tier is answered at once.
    expect(await listOffset(client, TOPIC, -2)).toMatchObject({ errorCode: 0, offset: 0 });
    loft.fault = 'none';
    expect(await listOffset(client, TOPIC, 1)).toMatchObject({ errorCode: 0, offset: 0 });
  });

  test('a client that goes while its cold read hangs takes the read with it', async () => {
    await start({ 'remote.log.reader.threads': '1', 'remote.log.reader.max.pending.tasks': '1' });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await untilCold(broker, TOPIC);
    loft.fault = 'hangs';
    const leaving = await WireClient.connect(broker);
    const before = loft.fetches;
    leaving.send(fetchApi, 12, fetchRequest(TOPIC));
    await vi.waitFor(() => expect(loft.fetches).toBeGreaterThan(before), WAIT);
    await leaving[Symbol.asyncDispose]();
    loft.fault = 'none';
    // The one reader is free again, long before remote.fetch.max.wait.ms.
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });
});

describe('quotas', () => {
  const node = { type: RESOURCE.broker, name: '0' };

  test('an exhausted write quota stops copying after a segment, and a higher limit lets it go on', async () => {
    await start({
      'remote.log.manager.write.quota.default': '1',
      'remote.log.manager.write.quota.window.num': '3',
    });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await vi.waitFor(() => {
      expect(status().remote?.copy?.outcome).toBe('quota-exhausted');
    }, WAIT);
    // The check comes before each segment, so exactly one went through.
    expect(loft.copies).toEqual([`${TOPIC}-0@0`]);
    const waiting = status().remote?.segments.filter(
      ({ notCopied }) => notCopied === 'quota-exhausted',
    );
    expect(waiting?.length).toBeGreaterThan(1);
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
    const altered = await alterConfigs(client, node, [
      { name: 'remote.log.manager.write.quota.default', value: String(100 * SEGMENT_BYTES) },
    ]);
    expect(altered.errorCode).toBe(0);
    await untilCold(broker, TOPIC);
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });

  test('a fetch beyond the read quota gives local data at once, cold data as soon as there is room', async () => {
    await start({ 'remote.log.manager.read.quota.default': '1' });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await broker.createTopic({ name: 'warm' });
    await fill(client, 'warm', { to: 1 });
    await untilCold(broker, TOPIC);
    // One read is let through, and fills the window.
    expect(recordsIn(await fetch(client, TOPIC)).length).toBeGreaterThan(0);
    const request = fetchRequest(TOPIC, {}, { maxWaitMs: 30_000 });
    const [warm] = fetchRequest('warm').topics;
    if (warm !== undefined) request.topics.push(warm);
    const begun = performance.now();
    const answer = await client.call(fetchApi, 12, request);
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(answer.throttleTimeMs).toBe(0);
    const [coldAnswer, warmAnswer] = answer.responses.map(({ partitions }) => partitions[0]);
    expect(coldAnswer).toMatchObject({
      errorCode: 0,
      records: Buffer.alloc(0),
      highWatermark: RECORDS,
      logStartOffset: 0,
    });
    expect(warmAnswer === undefined ? 0 : recordsIn(warmAnswer).length).toBe(1);
    await alterConfigs(client, node, [
      { name: 'remote.log.manager.read.quota.default', value: '1000000000' },
    ]);
    expect(await readBack(client, TOPIC)).toBe(RECORDS);
  });

  test('a fetch of throttled data alone waits for its own time, and ends empty without error', async () => {
    await start({ 'remote.log.manager.read.quota.default': '1' });
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await untilCold(broker, TOPIC);
    await fetch(client, TOPIC);
    const begun = performance.now();
    const answer = await fetch(client, TOPIC, {}, { maxWaitMs: 60 });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(59);
    expect(answer).toMatchObject({ errorCode: 0, highWatermark: RECORDS });
    expect(answer.records).toEqual(Buffer.alloc(0));
  });

  test('two cold partitions are read side by side within the bounds of the fetch', async () => {
    await start();
    await broker.createTopic({ name: TOPIC, configs: COLD });
    await broker.createTopic({ name: 'cold2', configs: COLD });
    await fill(client, TOPIC, { to: RECORDS });
    await fill(client, 'cold2', { to: RECORDS });
    await untilCold(broker, TOPIC);
    await untilCold(broker, 'cold2');
    const request = fetchRequest(TOPIC, { partitionMaxBytes: 5000 }, { maxBytes: 10_000 });
    request.topics.push({
      topic: 'cold2',
      topicId: request.topics[0]?.topicId ?? '',
      partitions: [fetchPartition({ partitionMaxBytes: 5000, fetchOffset: 10 })],
    });
    const { responses } = await client.call(fetchApi, 12, request);
    const found = responses.map(({ partitions: [answer] }) =>
      answer === undefined ? [] : recordsIn(answer).map(({ offset }) => offset),
    );
    expect(found[0]?.[0]).toBe(0);
    expect(found[1]?.[0]).toBe(10);
    expect(found.flat().length).toBeLessThanOrEqual(10);
  });
});
