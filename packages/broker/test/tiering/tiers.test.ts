import { deleteRecordsApi, ErrorCode } from '@logloft/protocol';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { alterConfigs, describeConfigs, RESOURCE } from '../support/admin-requests.ts';
import { Loft } from '../support/loft.ts';
import {
  batchOf,
  fetch,
  listOffset,
  produce,
  recordsIn,
  topicMetadata,
} from '../support/requests.ts';
import { COLD, fill, quickTiering, readBack, timeAt, untilCold } from '../support/tiered-topic.ts';
import { WireClient } from '../support/wire-client.ts';

const RECORDS = 100;
const WAIT = { timeout: 4000, interval: 10 };
const startMs = Date.now() - 60_000;

let loft: Loft;
let broker: Broker;
let client: WireClient;

beforeAll(async () => {
  loft = new Loft();
  broker = await startBroker({ ...quickTiering(), remoteStorage: loft.factory });
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
  await loft[Symbol.asyncDispose]();
});

async function coldTopic(name: string, configs: Record<string, string> = {}): Promise<number> {
  await broker.createTopic({ name, configs: { ...COLD, ...configs } });
  await fill(client, name, { to: RECORDS, startMs });
  return untilCold(broker, name);
}

describe('a topic with two tiers', () => {
  let localStart: number;

  beforeAll(async () => {
    localStart = await coldTopic('tiered');
  });

  test('every rolled segment is copied once, and leaves the local log', async () => {
    expect(localStart).toBeGreaterThan(RECORDS / 2);
    const mine = (await loft.segments()).filter((key) => key.includes('tiered-'));
    expect(mine.length).toBeGreaterThan(4);
    const copies = loft.copies.filter((copy) => copy.startsWith('tiered-0@'));
    expect(copies).toHaveLength(mine.length);
    expect(new Set(copies).size).toBe(copies.length);
    const status = broker.partitionStatus('tiered', 0);
    expect(status).toMatchObject({ logStartOffset: 0, logEndOffset: RECORDS });
    const places = status?.remote?.segments.map(({ place }) => place);
    expect(places).toEqual([...mine.map(() => 'remote'), 'local']);
  });

  test('what was produced is read from offset 0 over both tiers', async () => {
    const before = loft.fetches;
    expect(await readBack(client, 'tiered')).toBe(RECORDS);
    expect(loft.fetches).toBeGreaterThan(before);
  });

  test('any offset can be the first, in either tier', async () => {
    for (const offset of [1, 13, 14, 15, localStart - 1, localStart, RECORDS - 1]) {
      const answer = await fetch(client, 'tiered', { fetchOffset: offset });
      expect(answer).toMatchObject({ errorCode: 0, highWatermark: RECORDS, logStartOffset: 0 });
      expect(recordsIn(answer)[0]?.offset).toBe(offset);
    }
  });

  test('a first batch from the remote tier is given whole beyond every limit (KIP-74)', async () => {
    const answer = await fetch(client, 'tiered', { partitionMaxBytes: 1 }, { maxBytes: 1 });
    expect(recordsIn(answer).map(({ offset }) => offset)).toEqual([0]);
  });

  test('read_committed reads both tiers, too', async () => {
    for (const fetchOffset of [0, localStart]) {
      const answer = await fetch(client, 'tiered', { fetchOffset }, { isolationLevel: 1 });
      expect(answer).toMatchObject({ errorCode: 0, abortedTransactions: [] });
      expect(recordsIn(answer)[0]?.offset).toBe(fetchOffset);
    }
  });

  test('an offset is found by the time of its record, in whichever tier that is', async () => {
    for (const offset of [0, 1, 20, localStart - 1, localStart, RECORDS - 1]) {
      const timestamp = timeAt(offset, startMs);
      const expected = { errorCode: 0, offset, timestamp, leaderEpoch: 0 };
      expect(await listOffset(client, 'tiered', timestamp)).toMatchObject(expected);
      // Between two records it is the later one.
      expect(await listOffset(client, 'tiered', timestamp - 5)).toMatchObject(expected);
    }
    expect(await listOffset(client, 'tiered', 0)).toMatchObject({ offset: 0 });
    expect(await listOffset(client, 'tiered', timeAt(RECORDS, startMs))).toMatchObject({
      offset: -1,
      timestamp: -1,
    });
  });

  test('the special timestamps tell where each tier begins and ends', async () => {
    const at = async (timestamp: number) => {
      const { offset, errorCode } = await listOffset(client, 'tiered', timestamp, { version: 11 });
      expect(errorCode).toBe(0);
      return offset;
    };
    expect(await at(-1)).toBe(RECORDS);
    expect(await at(-2)).toBe(0);
    expect(await at(-3)).toBe(RECORDS - 1);
    expect(await at(-4)).toBe(localStart);
    expect(await at(-5)).toBe(localStart - 1);
    expect(await at(-6)).toBe(localStart);
  });

  test('the greatest timestamp may be in the remote tier', async () => {
    await broker.createTopic({ name: 'peak', configs: COLD });
    const peakMs = startMs + 50_000;
    await produce(client, 'peak', batchOf(['peak'], { timestamps: [peakMs] }));
    await fill(client, 'peak', { from: 1, to: 40, startMs });
    await untilCold(broker, 'peak');
    expect(await listOffset(client, 'peak', -3)).toMatchObject({ offset: 0, timestamp: peakMs });
  });
});

test('with local.retention.ms=0 the written segment is rolled and leaves, too (KAFKA-15047)', async () => {
  await broker.createTopic({ name: 'idle', configs: { ...COLD, 'local.retention.ms': '0' } });
  await fill(client, 'idle', { to: 3, startMs });
  await vi.waitFor(() => {
    expect(broker.partitionStatus('idle', 0)).toMatchObject({ localLogStartOffset: 3 });
  }, WAIT);
  expect(await readBack(client, 'idle')).toBe(3);
  expect(await produce(client, 'idle', batchOf(['next']))).toMatchObject({ baseOffset: 3 });
});

test('log.remote.storage.enable tiers the topics that clients create by asking for them', async () => {
  await using other = await startBroker({
    ...quickTiering({
      'log.remote.storage.enable': 'true',
      'log.segment.bytes': '16384',
      'log.local.retention.bytes': '1',
      'log.index.interval.bytes': '1024',
    }),
    remoteStorage: loft.factory,
  });
  await using own = await WireClient.connect(other);
  expect((await topicMetadata(own, 'asked-for')).errorCode).toBe(0);
  await fill(own, 'asked-for', { to: 40 });
  await untilCold(other, 'asked-for');
  expect(await readBack(own, 'asked-for')).toBe(40);
  // The topics of the broker itself stay local.
  expect(other.topics).toContain('__remote_log_metadata');
  const described = await describeConfigs(own, {
    type: RESOURCE.topic,
    name: '__remote_log_metadata',
  });
  expect(described.get('remote.storage.enable')?.value).toBe('false');
});

describe('the end of data', () => {
  test('total retention by size moves the log start in both tiers, and objects go', async () => {
    await coldTopic('bounded', { 'retention.bytes': '50000' });
    const start = await vi.waitFor(async () => {
      const { offset } = await listOffset(client, 'bounded', -2);
      expect(offset).toBeGreaterThan(30);
      const mine = (await loft.segments()).filter((key) => key.includes('bounded-'));
      expect(mine.length).toBeLessThanOrEqual(3);
      return offset;
    }, WAIT);
    expect(await readBack(client, 'bounded', start)).toBe(RECORDS);
    expect(await fetch(client, 'bounded', { fetchOffset: 0 })).toMatchObject({
      errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
      logStartOffset: start,
    });
  });

  test('total retention by time, set while it is there, empties both tiers', async () => {
    await coldTopic('short');
    const resource = { type: RESOURCE.topic, name: 'short' };
    expect(
      await alterConfigs(client, resource, [
        { name: 'retention.ms', value: '1000' },
        { name: 'local.retention.bytes', value: '-2' },
      ]),
    ).toMatchObject({ errorCode: 0, errorMessage: null });
    await vi.waitFor(async () => {
      expect((await loft.keys()).filter((key) => key.includes('short-'))).toEqual([]);
      expect((await listOffset(client, 'short', -2)).offset).toBe(RECORDS);
    }, WAIT);
    expect(await fetch(client, 'short', { fetchOffset: RECORDS })).toMatchObject({
      errorCode: 0,
      logStartOffset: RECORDS,
    });
  });

  test('DeleteRecords reaches into the remote tier', async () => {
    const localStart = await coldTopic('cut');
    const segmentsOf = async () => (await loft.segments()).filter((key) => key.includes('cut-'));
    const before = await segmentsOf();
    const deleteBefore = async (offset: number) => {
      const answer = await client.call(deleteRecordsApi, 2, {
        timeoutMs: 1000,
        topics: [{ name: 'cut', partitions: [{ partitionIndex: 0, offset }] }],
      });
      return answer.topics[0]?.partitions[0];
    };
    expect(await deleteBefore(40)).toMatchObject({ errorCode: 0, lowWatermark: 40 });
    expect((await fetch(client, 'cut', { fetchOffset: 39 })).errorCode).toBe(1);
    expect(await readBack(client, 'cut', 40)).toBe(RECORDS);
    await vi.waitFor(async () => {
      const after = await segmentsOf();
      expect(after.length).toBeLessThan(before.length);
      expect(after.length).toBeGreaterThan(0);
    }, WAIT);
    expect(await readBack(client, 'cut', 40)).toBe(RECORDS);
    // The log start may pass the whole remote tier.
    expect(await deleteBefore(localStart + 1)).toMatchObject({ errorCode: 0 });
    await vi.waitFor(async () => expect(await segmentsOf()).toEqual([]), WAIT);
    expect(await readBack(client, 'cut', localStart + 1)).toBe(RECORDS);
  });

  test('the deletion of a topic removes all its objects and nothing of others', async () => {
    await coldTopic('doomed');
    const others = (await loft.keys()).filter((key) => key.includes('tiered-')).length;
    await broker.deleteTopic('doomed');
    await vi.waitFor(async () => {
      expect((await loft.keys()).filter((key) => key.includes('doomed-'))).toEqual([]);
    }, WAIT);
    expect((await loft.keys()).filter((key) => key.includes('tiered-'))).toHaveLength(others);
  });
});
