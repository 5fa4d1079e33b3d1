import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrorCode, fetchApi } from '@logloft/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { alterConfigs, RESOURCE } from '../support/admin-requests.ts';
import { Loft } from '../support/loft.ts';
import { fetch, fetchRequest, listOffset } from '../support/requests.ts';
import { COLD, fill, quickTiering, readBack, untilCold } from '../support/tiered-topic.ts';
import { WireClient } from '../support/wire-client.ts';

const WAIT = { timeout: 4000, interval: 10 };
const RECORDS = 60;
const TOPIC = 'cold';

let directory: string;
let loft: Loft;
let broker: Broker;
let client: WireClient;

async function start(options: Parameters<typeof startBroker>[0] = {}): Promise<void> {
  broker = await startBroker({
    ...quickTiering(),
    directory,
    remoteStorage: loft.factory,
    ...options,
  });
  client = await WireClient.connect(broker);
}

async function stop(): Promise<void> {
  await client[Symbol.asyncDispose]();
  await broker.close();
}

async function makeCold(): Promise<number> {
  await broker.createTopic({ name: TOPIC, configs: COLD });
  await fill(client, TOPIC, { to: RECORDS });
  return untilCold(broker, TOPIC);
}

async function setOn(topic: string, name: string, value: string, also: [string, string][] = []) {
  const changes = [[name, value] as const, ...also].map(([key, text]) => ({
    name: key,
    value: text,
  }));
  return await alterConfigs(client, { type: RESOURCE.topic, name: topic }, changes);
}

function switchOff(also: [string, string][]) {
  return setOn(TOPIC, 'remote.storage.enable', 'false', [
    ['remote.log.delete.on.disable', 'true'],
    ...also,
  ]);
}

function comeBack() {
  return setOn(TOPIC, 'remote.storage.enable', 'true', [['local.retention.bytes', '1']]);
}

function statusOf(topic: string) {
  const status = broker.partitionStatus(topic, 0);
  if (status === undefined) throw new Error(`there is no partition 0 of ${topic}`);
  return status;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-tiering-'));
  loft = new Loft();
  await start();
});

afterEach(async () => {
  await stop();
  await loft[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

test('after a restart nothing is copied twice, and all is read', async () => {
  const localStart = await makeCold();
  const copies = [...loft.copies];
  const keys = await loft.keys();
  await stop();
  await start();
  expect(await readBack(client, TOPIC)).toBe(RECORDS);
  await fill(client, TOPIC, { from: RECORDS, to: 2 * RECORDS });
  await untilCold(broker, TOPIC);
  expect(await readBack(client, TOPIC)).toBe(2 * RECORDS);
  expect(loft.copies.slice(0, copies.length)).toEqual(copies);
  expect(new Set(loft.copies).size).toBe(loft.copies.length);
  expect(loft.copies[copies.length]).toBe(`${TOPIC}-0@${localStart}`);
  expect(await loft.keys()).toEqual(expect.arrayContaining(keys));
});

test('the log start that retention moved into the remote tier outlives a restart, and so does the local one', async () => {
  const localStart = await makeCold();
  await setOn(TOPIC, 'retention.bytes', '40000');
  const logStart = await vi.waitFor(async () => {
    const { offset } = await listOffset(client, TOPIC, -2);
    expect(offset).toBeGreaterThan(0);
    expect(await loft.segments()).toHaveLength(2);
    return offset;
  }, WAIT);
  await stop();
  await start();
  expect((await listOffset(client, TOPIC, -2)).offset).toBe(logStart);
  expect((await listOffset(client, TOPIC, -4)).offset).toBe(localStart);
  expect(await readBack(client, TOPIC, logStart)).toBe(RECORDS);
});

test('a cold read right after a restart is answered with data or error 9, never with nothing for good', async () => {
  await makeCold();
  await stop();
  await start();
  const answer = await fetch(client, TOPIC);
  expect([ErrorCode.NONE, ErrorCode.REPLICA_NOT_AVAILABLE]).toContain(answer.errorCode);
  await vi.waitFor(async () => expect(await readBack(client, TOPIC)).toBe(RECORDS), WAIT);
});

test('a directory as a killed process leaves it, in the midst of copying, gives all back with the same store', async () => {
  // Nothing leaves the local log so far, so that its files stand still while they are copied.
  await broker.createTopic({ name: TOPIC, configs: { ...COLD, 'local.retention.bytes': '-2' } });
  const copy = `${directory}-killed`;
  await fill(client, TOPIC, { to: RECORDS });
  await vi.waitFor(async () => expect((await loft.segments()).length).toBeGreaterThan(0), WAIT);
  cpSync(directory, copy, { recursive: true });
  await stop();
  await rm(directory, { recursive: true });
  directory = copy;
  await start();
  expect(await readBack(client, TOPIC)).toBe(RECORDS);
  await setOn(TOPIC, 'local.retention.bytes', '1');
  await fill(client, TOPIC, { from: RECORDS, to: 2 * RECORDS });
  await untilCold(broker, TOPIC);
  expect(await readBack(client, TOPIC)).toBe(2 * RECORDS);
});

test('the deletion of a topic goes on after a restart until no object is left', async () => {
  await makeCold();
  loft.copyFault = 'fails';
  await broker.deleteTopic(TOPIC);
  expect((await loft.keys()).length).toBeGreaterThan(0);
  await stop();
  loft.copyFault = 'none';
  await start();
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
  expect(broker.topics).not.toContain(TOPIC);
});

test('a topic of the same name that is made again has nothing of the old one', async () => {
  await makeCold();
  loft.copyFault = 'hangs';
  await broker.deleteTopic(TOPIC);
  await broker.createTopic({ name: TOPIC, configs: COLD });
  expect(await fetch(client, TOPIC)).toMatchObject({ errorCode: 0, highWatermark: 0 });
  loft.copyFault = 'none';
  await fill(client, TOPIC, { to: 20 });
  expect(await readBack(client, TOPIC)).toBe(20);
});

test('without its remote tier the broker does not start while topics need it, and says which', async () => {
  await makeCold();
  await stop();
  const refused = startBroker({ directory });
  await expect(refused).rejects.toMatchObject({
    code: 'LOGLOFT_BROKER_OPTIONS',
    message: expect.stringContaining(TOPIC),
  });
  await start();
  expect(await readBack(client, TOPIC)).toBe(RECORDS);
});

test('objects of a topic that was deleted without the remote tier go when it is there again', async () => {
  await makeCold();
  loft.copyFault = 'fails';
  await broker.deleteTopic(TOPIC);
  await stop();
  await start({ remoteStorage: undefined });
  await stop();
  loft.copyFault = 'none';
  await start();
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
});

test('tiering is switched off only with remote.log.delete.on.disable, and takes the remote data with it', async () => {
  const localStart = await makeCold();
  const refused = await setOn(TOPIC, 'remote.storage.enable', 'false');
  expect(refused).toMatchObject({ errorCode: ErrorCode.INVALID_CONFIG });
  expect(refused.errorMessage).toContain('remote.log.delete.on.disable=true');
  const done = await setOn(TOPIC, 'remote.storage.enable', 'false', [
    ['remote.log.delete.on.disable', 'true'],
    ['local.retention.bytes', '-2'],
  ]);
  expect(done).toMatchObject({ errorCode: 0, errorMessage: null });
  // What only the remote tier had is gone at once; what is local stays.
  expect(await fetch(client, TOPIC)).toMatchObject({
    errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
    logStartOffset: localStart,
  });
  expect(await readBack(client, TOPIC, localStart)).toBe(RECORDS);
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
  await fill(client, TOPIC, { from: RECORDS, to: RECORDS + 20 });
  expect(await readBack(client, TOPIC, localStart)).toBe(RECORDS + 20);
  expect(await loft.keys()).toEqual([]);
});

test('switching tiering off goes on after a restart', async () => {
  await makeCold();
  loft.copyFault = 'fails';
  await setOn(TOPIC, 'remote.storage.enable', 'false', [
    ['remote.log.delete.on.disable', 'true'],
    ['local.retention.bytes', '-2'],
  ]);
  await stop();
  loft.copyFault = 'none';
  await start();
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
});

test('a topic that left the remote tier comes back in the same process: it is copied anew, and loses nothing', async () => {
  const configs = { ...COLD, 'local.retention.bytes': '-2' };
  await broker.createTopic({ name: TOPIC, configs });
  await fill(client, TOPIC, { to: RECORDS });
  await vi.waitFor(async () => expect(await loft.segments()).toHaveLength(3), WAIT);
  for (let end = RECORDS; end <= 2 * RECORDS; end += RECORDS) {
    const first = loft.copied.length;
    const { deletions } = loft;
    // The old data goes late. Until then nothing is copied, and so nothing local may go.
    loft.copyFault = 'fails';
    await switchOff([['local.retention.bytes', '-2']]);
    expect(statusOf(TOPIC).highestOffsetInRemoteStorage).toBe(-1);
    await vi.waitFor(() => expect(loft.deletions).toBeGreaterThan(deletions), WAIT);
    expect(await comeBack()).toMatchObject({ errorCode: 0, errorMessage: null });
    await fill(client, TOPIC, { from: end, to: end + RECORDS });
    const { localLogStartOffset, logStartOffset } = statusOf(TOPIC);
    expect(localLogStartOffset).toBe(logStartOffset);
    loft.copyFault = 'none';
    expect(await untilCold(broker, TOPIC)).toBeGreaterThan(end);
    const copied = loft.copied.slice(first).map((copy) => Number(copy.split('@')[1]));
    expect(copied[0]).toBe(logStartOffset);
    expect(new Set(copied).size).toBe(copied.length);
    expect(statusOf(TOPIC).logStartOffset).toBe(logStartOffset);
    expect(await readBack(client, TOPIC, logStartOffset)).toBe(end + RECORDS);
  }
  const logStart = statusOf(TOPIC).logStartOffset;
  await stop();
  await start();
  expect(await readBack(client, TOPIC, logStart)).toBe(3 * RECORDS);
});

test('a topic that leaves the remote tier and comes back at once reads whole from its log start', async () => {
  await makeCold();
  const copies = loft.copies.length;
  const [left, back] = await Promise.all([switchOff([]), comeBack()]);
  expect([left.errorCode, back.errorCode]).toEqual([0, 0]);
  await fill(client, TOPIC, { from: RECORDS, to: 2 * RECORDS });
  await untilCold(broker, TOPIC);
  const { logStartOffset } = statusOf(TOPIC);
  expect(await readBack(client, TOPIC, logStartOffset)).toBe(2 * RECORDS);
  expect(loft.copies.length).toBeGreaterThan(copies);
});

test('a copy that is under way while the topic leaves the remote tier and comes back counts as none', async () => {
  const configs = { ...COLD, 'local.retention.bytes': '-2' };
  loft.copyFault = 'hangs';
  await broker.createTopic({ name: TOPIC, configs });
  await fill(client, TOPIC, { to: RECORDS });
  await vi.waitFor(() => expect(loft.copies).toHaveLength(1), WAIT);
  const left = switchOff([]);
  const back = comeBack();
  loft.copyFault = 'none';
  expect([(await left).errorCode, (await back).errorCode]).toEqual([0, 0]);
  await untilCold(broker, TOPIC);
  expect(statusOf(TOPIC).logStartOffset).toBe(0);
  expect(await readBack(client, TOPIC)).toBe(RECORDS);
});

test('switching tiering off a second time goes on after a restart', async () => {
  await makeCold();
  const off: [string, string][] = [['local.retention.bytes', '-2']];
  await switchOff(off);
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
  await comeBack();
  await fill(client, TOPIC, { from: RECORDS, to: 2 * RECORDS });
  await untilCold(broker, TOPIC);
  loft.copyFault = 'fails';
  await switchOff(off);
  await stop();
  loft.copyFault = 'none';
  await start();
  await vi.waitFor(async () => expect(await loft.keys()).toEqual([]), WAIT);
});

test('a topic that joins the remote tier later is copied from its local start', async () => {
  await broker.createTopic({ name: 'late', configs: { 'segment.bytes': '16384' } });
  await fill(client, 'late', { to: RECORDS });
  expect(loft.copies).toEqual([]);
  await setOn('late', 'remote.storage.enable', 'true', [['local.retention.bytes', '1']]);
  await untilCold(broker, 'late');
  expect(await readBack(client, 'late')).toBe(RECORDS);
  const response = await client.call(fetchApi, 12, fetchRequest('late'));
  expect(response.responses[0]?.partitions[0]?.logStartOffset).toBe(0);
});
