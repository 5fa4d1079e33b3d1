import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrorCode, offsetDeleteApi, offsetFetchApi } from '@logloft/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { commitOffset, committed, GroupMember } from '../support/group-member.ts';
import { WireClient } from '../support/wire-client.ts';

const config = { 'group.initial.rebalance.delay.ms': '0', 'offsets.topic.num.partitions': '3' };
const topics = [{ name: 't', partitions: 2 }, { name: 'u' }];

describe('offsets', () => {
  let broker: Broker;
  let client: WireClient;
  let groupNumber = 0;
  let group: string;

  beforeAll(async () => {
    broker = await startBroker({ topics, config });
    client = await WireClient.connect(broker);
  });

  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await broker.close();
  });

  beforeEach(() => {
    groupNumber += 1;
    group = `group-${groupNumber}`;
  });

  async function remove(topic: string, partition = 0) {
    const answer = await client.call(offsetDeleteApi, 0, {
      groupId: group,
      topics: [{ name: topic, partitions: [{ partitionIndex: partition }] }],
    });
    return { group: answer.errorCode, partition: answer.topics[0]?.partitions[0]?.errorCode };
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'version %i commits, and version %i fetches what was committed (cases C 59)',
    async (version) => {
      const options = { version, metadata: 'note', leaderEpoch: 0 };
      expect(await commitOffset(client, group, 10, options)).toBe(0);
      for (let fetchVersion = 1; fetchVersion <= 9; fetchVersion += 1) {
        const found = await committed(client, group, { version: fetchVersion });
        expect(found).toMatchObject({ errorCode: 0, committedOffset: 10, metadata: 'note' });
        if (fetchVersion >= 5) expect(found.committedLeaderEpoch).toBe(version >= 6 ? 0 : -1);
      }
    },
  );

  test('nothing committed, an unknown partition and an unknown group are -1 and no error', async () => {
    await commitOffset(client, group, 10);
    const nothing = { errorCode: 0, committedOffset: -1, committedLeaderEpoch: -1, metadata: '' };
    expect(await committed(client, group, { partition: 1 })).toMatchObject(nothing);
    expect(await committed(client, group, { topic: 'missing' })).toMatchObject(nothing);
    expect(await committed(client, 'no-such-group')).toMatchObject(nothing);
  });

  test('all offsets of several groups are fetched at once', async () => {
    await commitOffset(client, group, 1);
    await commitOffset(client, group, 2, { partition: 1 });
    await commitOffset(client, group, 3, { topic: 'u' });
    await commitOffset(client, `${group}-b`, 4);
    const answer = await client.call(offsetFetchApi, 8, {
      groupId: '',
      topics: null,
      groups: [group, `${group}-b`].map((groupId) => ({
        groupId,
        memberId: null,
        memberEpoch: -1,
        topics: null,
      })),
      requireStable: false,
    });
    const found = answer.groups.map(({ topics: ofGroup }) =>
      ofGroup
        .flatMap(({ name, partitions }) =>
          partitions.map(
            ({ partitionIndex, committedOffset }) => `${name}-${partitionIndex}=${committedOffset}`,
          ),
        )
        .sort(),
    );
    expect(found).toEqual([['t-0=1', 't-1=2', 'u-0=3'], ['t-0=4']]);
    const single = await client.call(offsetFetchApi, 2, {
      groupId: group,
      topics: null,
      groups: [],
      requireStable: false,
    });
    expect(single.topics.flatMap(({ partitions }) => partitions)).toHaveLength(3);
  });

  test('what cannot be committed is told why', async () => {
    expect(await commitOffset(client, group, 1, { topic: 'missing' })).toBe(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
    expect(await commitOffset(client, group, 1, { partition: 9 })).toBe(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
    // As in Kafka, for clients of old: a group without a name keeps offsets, and has no members.
    expect(await commitOffset(client, '', 1)).toBe(0);
    expect(await commitOffset(client, group, 1, { generation: 3, memberId: 'm', version: 8 })).toBe(
      ErrorCode.ILLEGAL_GENERATION,
    );
    expect(await commitOffset(client, group, 1, { generation: 3, memberId: 'm' })).toBe(
      ErrorCode.GROUP_ID_NOT_FOUND,
    );
  });

  test('metadata comes back byte for byte, zero bytes included, up to the limit (cases C 60)', async () => {
    const metadata = `\u0000a\u0000ü${'x'.repeat(4000)}`;
    expect(await commitOffset(client, group, 1, { metadata })).toBe(0);
    expect((await committed(client, group)).metadata).toBe(metadata);
    expect(await commitOffset(client, group, 2, { metadata: 'x'.repeat(4097) })).toBe(
      ErrorCode.OFFSET_METADATA_TOO_LARGE,
    );
    expect((await committed(client, group)).committedOffset).toBe(1);
  });

  test('an administrator sets offsets of an empty group, and not of one with members (cases C 61)', async () => {
    expect(await commitOffset(client, group, 5)).toBe(0);
    const member = new GroupMember(client, { group });
    await member.join();
    await member.sync();
    expect(await commitOffset(client, group, 6)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await member.commit(7)).toBe(0);
    await member.leave();
    expect(await commitOffset(client, group, 8)).toBe(0);
    expect((await committed(client, group)).committedOffset).toBe(8);
  });

  test('offsets of topics that nobody in the group reads can be deleted (cases C 62)', async () => {
    expect((await remove('t')).group).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
    await commitOffset(client, group, 1);
    await commitOffset(client, group, 1, { topic: 'u' });
    const member = new GroupMember(client, { group, topics: ['t'] });
    await member.join();
    await member.sync();
    expect(await remove('t')).toEqual({ group: 0, partition: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC });
    expect(await remove('u')).toEqual({ group: 0, partition: 0 });
    await member.leave();
    expect(await remove('t')).toEqual({ group: 0, partition: 0 });
    expect((await committed(client, group)).committedOffset).toBe(-1);
  });
});

describe('with a directory', () => {
  let directory: string;
  let broker: Broker;
  let client: WireClient;

  async function start(): Promise<void> {
    broker = await startBroker({
      directory,
      topics,
      config: { ...config, 'offsets.topic.segment.bytes': '20000' },
    });
    client = await WireClient.connect(broker);
  }

  async function restart(): Promise<void> {
    await client[Symbol.asyncDispose]();
    await broker.close();
    await start();
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logloft-offsets-'));
    await start();
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await broker.close();
    await rm(directory, { recursive: true, force: true });
  });

  test('offsets and members survive a restart: a member goes on with its heartbeats (cases C 45)', async () => {
    const before = new GroupMember(client);
    await before.join();
    await before.sync();
    expect(await before.commit(42, { metadata: 'm' })).toBe(0);
    await restart();
    expect(await committed(client, 'g')).toMatchObject({ committedOffset: 42, metadata: 'm' });
    const after = new GroupMember(client);
    Object.assign(after, { memberId: before.memberId, generation: before.generation });
    expect((await after.heartbeat()).errorCode).toBe(0);
    expect((await after.sync()).assignment.toString()).toBe(before.memberId);
    expect(await after.commit(43)).toBe(0);
    await after.leave();
    await restart();
    expect(await committed(client, 'g')).toMatchObject({ committedOffset: 43 });
    expect(await broker.waitForGroup('g', { state: 'Empty' })).toMatchObject({ members: [] });
  });

  test('no commit goes backwards over rebalances and restarts (cases C 58)', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const member = new GroupMember(client);
      await member.join();
      await member.sync();
      for (let offset = round * 10; offset < round * 10 + 5; offset += 1) {
        expect(await member.commit(offset)).toBe(0);
        expect((await committed(client, 'g')).committedOffset).toBe(offset);
      }
      await member.leave();
      await restart();
      expect((await committed(client, 'g')).committedOffset).toBe(round * 10 + 4);
    }
  });

  test('__consumer_offsets is rewritten when it has grown: it shrinks, and nothing is lost', async () => {
    const metadata = 'x'.repeat(4000);
    for (let offset = 1; offset <= 600; offset += 1) {
      // One connection, requests in flight: they are answered in their order.
      const last = commitOffset(client, `g${offset % 5}`, offset, { metadata });
      if (offset % 50 === 0) await last;
    }
    const sizes = () =>
      [0, 1, 2].map(
        (index) => broker.partitionStatus('__consumer_offsets', index)?.localBytes ?? 0,
      );
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    const before = sum(sizes());
    expect(before).toBeGreaterThan(1024 * 1024);
    await restart();
    expect(sum(sizes())).toBeLessThan(before / 10);
    for (let group = 0; group < 5; group += 1) {
      const expected = { errorCode: 0, committedOffset: group === 0 ? 600 : 595 + group, metadata };
      expect(await committed(client, `g${group}`)).toMatchObject(expected);
    }
    expect(await commitOffset(client, 'g0', 601)).toBe(0);
    await restart();
    expect((await committed(client, 'g0')).committedOffset).toBe(601);
    expect((await committed(client, 'g1')).committedOffset).toBe(596);
    expect(await readdir(directory)).toContain('__consumer_offsets-0');
  });
});
