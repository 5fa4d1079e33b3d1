import {
  deleteGroupsApi,
  describeGroupsApi,
  ErrorCode,
  leaveGroupApi,
  listGroupsApi,
} from '@logloft/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { GroupMember, type MemberOptions } from '../support/group-member.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let groupNumber = 0;
let group: string;
let clients: WireClient[] = [];

beforeAll(async () => {
  broker = await startBroker({
    topics: [{ name: 't', partitions: 4 }],
    config: { 'group.initial.rebalance.delay.ms': '0', 'group.min.session.timeout.ms': '100' },
  });
});

afterAll(async () => await broker.close());

beforeEach(() => {
  groupNumber += 1;
  group = `group-${groupNumber}`;
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  clients = [];
});

async function connect(): Promise<WireClient> {
  const client = await WireClient.connect(broker);
  clients.push(client);
  return client;
}

async function member(options: MemberOptions = {}): Promise<GroupMember> {
  return new GroupMember(await connect(), { group, ...options });
}

/** Two members with their assignments. */
async function pair(options: MemberOptions = {}): Promise<[GroupMember, GroupMember]> {
  const [first, second] = [await member(options), await member(options)];
  await first.join();
  await first.sync();
  const joining = second.join();
  await vi.waitFor(async () => {
    expect((await first.heartbeat()).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
  await Promise.all([first.join(), joining]);
  await Promise.all([first.sync(), second.sync()]);
  return [first, second];
}

describe('a group', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'version %i of JoinGroup: joins, syncs, beats and leaves',
    async (joinVersion) => {
      const syncVersion = Math.min(5, joinVersion);
      const one = await member({ joinVersion, syncVersion });
      if (joinVersion >= 4) {
        const told = await one.joinOnce();
        expect(told.errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
        expect(told).toMatchObject({ generationId: -1, leader: '', members: [] });
        expect(one.memberId).toMatch(/^test-[0-9a-f-]{36}$/);
      }
      const joined = await one.joinOnce();
      expect(joined).toMatchObject({ errorCode: 0, generationId: 1, protocolName: 'range' });
      expect(joined.leader).toBe(joined.memberId);
      expect(joined.members.map(({ memberId }) => memberId)).toEqual([one.memberId]);
      const synced = await one.sync();
      expect(synced.errorCode).toBe(0);
      expect(synced.assignment.toString()).toBe(one.memberId);
      const version = Math.min(4, joinVersion);
      expect((await one.heartbeat({ version })).errorCode).toBe(0);
      expect(await one.leave(Math.min(5, joinVersion))).toBe(0);
      expect((await one.heartbeat()).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    },
  );

  test('a fresh one is joined at once (cases C 40)', async () => {
    const one = await member();
    const begun = performance.now();
    await one.join();
    await one.sync();
    expect(performance.now() - begun).toBeLessThan(200);
  });

  test('of two members only the leader sees both, and each gets its own assignment untouched (cases C 51)', async () => {
    const [first, second] = await pair();
    expect([first.generation, second.generation]).toEqual([2, 2]);
    const [leader, follower] = first.isLeader ? [first, second] : [second, first];
    expect(leader.members.toSorted()).toEqual([first.memberId, second.memberId].toSorted());
    expect(follower.members).toEqual([]);
    for (const one of [first, second]) {
      expect((await one.sync()).assignment.toString()).toBe(one.memberId);
      expect((await one.heartbeat()).errorCode).toBe(0);
    }
  });

  test('a generation of before is ILLEGAL_GENERATION, and the member may join again with its id (cases C 44)', async () => {
    const [first, second] = await pair();
    expect((await first.heartbeat({ generation: 1 })).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(await first.commit(5, { generation: 1 })).toBe(ErrorCode.ILLEGAL_GENERATION);
    const { memberId } = second;
    expect(await second.join()).toMatchObject({ errorCode: 0, memberId });
  });

  test('when one leaves, the other is told to join again and has all', async () => {
    const [first, second] = await pair();
    await second.leave();
    expect((await first.heartbeat()).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    // What it has read it may still commit (Java and librdkafka do so before they join again).
    expect(await first.commit(7)).toBe(0);
    await first.join();
    expect(first).toMatchObject({ generation: 3, members: [first.memberId] });
    expect((await first.sync()).errorCode).toBe(0);
  });

  test('a member with nothing assigned stays in it (cases C 52)', async () => {
    const [first, second] = [await member(), await member()];
    await first.join();
    await first.sync();
    const joining = second.join();
    await vi.waitFor(async () => {
      expect((await first.heartbeat()).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    });
    await Promise.all([first.join(), joining]);
    const [leader, follower] = first.isLeader ? [first, second] : [second, first];
    leader.members = [leader.memberId];
    const [, synced] = await Promise.all([leader.sync(), follower.sync()]);
    expect(synced).toMatchObject({ errorCode: 0, assignment: Buffer.alloc(0) });
    expect((await follower.heartbeat()).errorCode).toBe(0);
  });

  test('a client that goes while its join is parked is no member when it ends', async () => {
    const first = await member();
    await first.join();
    await first.sync();
    // It is parked until the first one joins again.
    const leaving = await member({ rebalanceTimeoutMs: 200, sessionTimeoutMs: 200 });
    const parked = leaving.join().catch((error: Error) => error.message);
    await vi.waitFor(async () => {
      expect((await first.heartbeat()).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    });
    await leaving.client[Symbol.asyncDispose]();
    expect(await parked).toContain('closed');
    await first.join();
    await first.sync();
    const found = await broker.waitForGroup(group, { members: 1 });
    expect(found.members.map(({ memberId }) => memberId)).toEqual([first.memberId]);
  });

  test('two joins of one connection are answered in their order, each once (cases C 56)', async () => {
    const client = await connect();
    const one = new GroupMember(client, { group });
    const other = new GroupMember(client, { group: `${group}-other` });
    const [a, b] = await Promise.all([one.join(), other.join()]);
    expect([a.memberId, b.memberId]).toEqual([one.memberId, other.memberId]);
    expect((await one.sync()).errorCode).toBe(0);
    expect((await other.sync()).errorCode).toBe(0);
  });

  test('a static member comes back without a rebalance, and its old self is fenced (cases C 55)', async () => {
    const old = await member({ instanceId: 'i' });
    expect((await old.joinOnce()).errorCode).toBe(0);
    await old.sync();
    const back = await member({ instanceId: 'i' });
    expect(await back.joinOnce()).toMatchObject({ errorCode: 0, generationId: 1 });
    expect(back.memberId).not.toBe(old.memberId);
    expect((await back.sync()).assignment.toString()).toBe(old.memberId);
    expect((await old.heartbeat()).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    const removed = await back.client.call(leaveGroupApi, 5, {
      groupId: group,
      memberId: '',
      members: [{ memberId: '', groupInstanceId: 'i', reason: 'an administrator' }],
    });
    expect(removed).toMatchObject({ errorCode: 0, members: [{ errorCode: 0 }] });
  });

  test('what cannot join is told why', async () => {
    for (const [options, errorCode] of [
      [{ group: '' }, ErrorCode.INVALID_GROUP_ID],
      [{ sessionTimeoutMs: 99 }, ErrorCode.INVALID_SESSION_TIMEOUT],
      [{ sessionTimeoutMs: 2_000_000_000 }, ErrorCode.INVALID_SESSION_TIMEOUT],
    ] as const) {
      const one = await member(options);
      expect((await one.join()).errorCode).toBe(errorCode);
    }
    const stranger = await member();
    stranger.memberId = 'nobody';
    expect((await stranger.joinOnce()).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });
});

test('with forgetMembersOnDisconnect a connection that closes takes its members along (cases C 41)', async () => {
  await using forgetful = await startBroker({ forgetMembersOnDisconnect: true });
  const leaving = new GroupMember(await WireClient.connect(forgetful), { group });
  await leaving.join();
  await leaving.sync();
  await leaving.client[Symbol.asyncDispose]();
  const found = await forgetful.waitForGroup(group, { members: 0, state: 'Empty' });
  expect(found.members).toEqual([]);
});

describe('waitForGroup', () => {
  test('resolves when the group is stable, with its members (cases C 42)', async () => {
    const waiting = broker.waitForGroup(group, { members: 2 });
    await pair();
    const found = await waiting;
    expect(found).toMatchObject({ groupId: group, state: 'Stable', protocol: 'range' });
    expect(found.members).toHaveLength(2);
  });

  test('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const waiting = broker.waitForGroup('nobody', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('those who look after groups', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    'version %i of DescribeGroups shows members, client and assignment',
    async (version) => {
      const one = await member();
      await one.join();
      await one.sync();
      const { groups } = await one.client.call(describeGroupsApi, version, {
        groups: [group, 'no-such-group'],
        includeAuthorizedOperations: version >= 3,
      });
      expect(groups).toMatchObject([
        {
          errorCode: 0,
          groupId: group,
          groupState: 'Stable',
          protocolType: 'consumer',
          protocolData: 'range',
          members: [{ memberId: one.memberId, clientId: 'test', clientHost: '/127.0.0.1' }],
        },
        { errorCode: 0, groupId: 'no-such-group', groupState: 'Dead', members: [] },
      ]);
      expect(groups[0]?.members[0]?.memberAssignment.toString()).toBe(one.memberId);
      if (version >= 3) expect(groups[0]?.authorizedOperations).toBeGreaterThan(0);
    },
  );

  test.each([0, 1, 2, 3, 4, 5])(
    'version %i of ListGroups lists, and filters where it can',
    async (version) => {
      const one = await member();
      await one.join();
      await one.sync();
      const list = async (statesFilter: string[], typesFilter: string[] = []) => {
        const answer = await one.client.call(listGroupsApi, version, { statesFilter, typesFilter });
        return answer.groups.find(({ groupId }) => groupId === group);
      };
      expect(await list([])).toMatchObject({ protocolType: 'consumer' });
      if (version < 4) return;
      expect(await list(['stable', 'EMPTY'])).toMatchObject({ groupState: 'Stable' });
      expect(await list(['Empty'])).toBe(undefined);
      if (version < 5) return;
      expect(await list([], ['Classic'])).toMatchObject({ groupType: 'classic' });
      expect(await list([], ['consumer'])).toBe(undefined);
    },
  );

  test.each([0, 1, 2])(
    'version %i of DeleteGroups deletes what is empty and only that',
    async (version) => {
      const one = await member();
      await one.join();
      await one.sync();
      const remove = async () => {
        const { results } = await one.client.call(deleteGroupsApi, version, {
          groupsNames: [group, 'no-such-group'],
        });
        return results.map(({ groupId, errorCode }) => [groupId, errorCode]);
      };
      expect(await remove()).toEqual([
        [group, ErrorCode.NON_EMPTY_GROUP],
        ['no-such-group', ErrorCode.GROUP_ID_NOT_FOUND],
      ]);
      await one.leave();
      expect((await remove())[0]).toEqual([group, 0]);
      expect((await remove())[0]).toEqual([group, ErrorCode.GROUP_ID_NOT_FOUND]);
    },
  );
});
