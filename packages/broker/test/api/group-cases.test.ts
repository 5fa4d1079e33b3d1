import {
  describeGroupsApi,
  ErrorCode,
  joinGroupApi,
  listGroupsApi,
  syncGroupApi,
} from '@logloft/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { committed, GroupMember, type MemberOptions } from '../support/group-member.ts';
import { batchOf, listOffset, produce } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let groupNumber = 0;
let group: string;
let clients: WireClient[] = [];

beforeAll(async () => {
  broker = await startBroker({
    topics: [{ name: 't', partitions: 4 }],
    config: { 'group.initial.rebalance.delay.ms': '0', 'group.min.session.timeout.ms': '50' },
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

async function member(options: MemberOptions = {}): Promise<GroupMember> {
  const client = await WireClient.connect(broker);
  clients.push(client);
  return new GroupMember(client, { group, ...options });
}

async function untilRebalance(one: GroupMember): Promise<void> {
  await vi.waitFor(async () => {
    expect((await one.heartbeat()).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
}

describe('a member that takes partitions over', () => {
  test('sees the last commits of the one that left, however close they come (cases C 46)', async () => {
    const [first, second] = [await member(), await member()];
    await first.join();
    await first.sync();
    const joining = second.join();
    await untilRebalance(first);
    await Promise.all([first.join(), joining]);
    await Promise.all([first.sync(), second.sync()]);
    // Commit and leave travel together on one connection; the other asks at once.
    const [, left] = await Promise.all([second.commit(17, { partition: 1 }), second.leave()]);
    expect(left).toBe(0);
    await first.join();
    const found = await committed(first.client, group, { partition: 1 });
    expect(found.committedOffset).toBe(17);
    await first.sync();
  });

  test('is not overtaken by commits of the generation before it (cases C 54)', async () => {
    const slow = await member();
    await slow.join();
    await slow.sync();
    expect(await slow.commit(10)).toBe(0);
    const next = await member();
    const joining = next.join();
    await untilRebalance(slow);
    const old = slow.generation;
    await Promise.all([slow.join(), joining]);
    await Promise.all([slow.sync(), next.sync()]);
    expect(await next.commit(20)).toBe(0);
    expect(await slow.commit(11, { generation: old })).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect((await committed(slow.client, group)).committedOffset).toBe(20);
  });

  test('has no lag when all that was read is committed as the next offset (cases C 59)', async () => {
    const one = await member();
    await produce(one.client, 't', batchOf(['a', 'b', 'c']), { partition: 3 });
    await one.join();
    await one.sync();
    const { offset } = await listOffset(one.client, 't', -1, { partition: 3 });
    await one.commit(offset, { partition: 3 });
    expect((await committed(one.client, group, { partition: 3 })).committedOffset).toBe(offset);
  });
});

test('members of a rolling restart keep their generation while nothing changes for them (cases C 50)', async () => {
  const members = await Promise.all([member(), member(), member()]);
  const [leader, ...others] = members;
  if (leader === undefined) throw new Error('no leader');
  await leader.join();
  await leader.sync();
  const joining = others.map((other) => other.join());
  await untilRebalance(leader);
  await Promise.all([leader.join(), ...joining]);
  await Promise.all(members.map((one) => one.sync()));
  // The last one may have come after the others were together; in the end all have one generation.
  await vi.waitFor(async () => {
    const beats = await Promise.all(members.map((one) => one.heartbeat()));
    if (beats.some(({ errorCode }) => errorCode !== 0)) {
      await Promise.all(members.map((one) => one.join()));
      await Promise.all(members.map((one) => one.sync()));
    }
    expect(beats.map(({ errorCode }) => errorCode)).toEqual([0, 0, 0]);
  });
  expect(new Set(members.map(({ generation }) => generation)).size).toBe(1);
  // A follower that asks again with the same metadata is answered with what is.
  const follower = members.find((one) => !one.isLeader);
  const { generation } = leader;
  expect(await follower?.join()).toMatchObject({ errorCode: 0, generationId: generation });
  expect((await leader.heartbeat()).errorCode).toBe(0);
});

test('a member that falls silent is removed after its session, and the others have all', async () => {
  const [first, silent] = [
    await member(),
    await member({ sessionTimeoutMs: 60, rebalanceTimeoutMs: 60 }),
  ];
  await first.join();
  await first.sync();
  const joining = silent.join();
  await untilRebalance(first);
  await Promise.all([first.join(), joining]);
  await Promise.all([first.sync(), silent.sync()]);
  await untilRebalance(first);
  await first.join();
  expect(first.members).toEqual([first.memberId]);
  await first.sync();
  expect((await silent.heartbeat()).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test('a group of another protocol type is kept apart, and its bytes are never looked into (cases C 64)', async () => {
  const client = await WireClient.connect(broker);
  clients.push(client);
  const opaque = Buffer.from([0xff, 0x00, 0x7f, 0x80]);
  const join = (memberId: string, protocolType: string) =>
    client.call(joinGroupApi, 9, {
      groupId: group,
      sessionTimeoutMs: 30_000,
      rebalanceTimeoutMs: 30_000,
      memberId,
      groupInstanceId: null,
      protocolType,
      protocols: [{ name: 'sessioned', metadata: opaque }],
      reason: null,
    });
  const { memberId } = await join('', 'connect');
  const joined = await join(memberId, 'connect');
  expect(joined).toMatchObject({ errorCode: 0, protocolType: 'connect' });
  expect(joined.members[0]?.metadata).toEqual(opaque);
  await client.call(syncGroupApi, 5, {
    groupId: group,
    generationId: 1,
    memberId,
    groupInstanceId: null,
    protocolType: 'connect',
    protocolName: 'sessioned',
    assignments: [{ memberId, assignment: opaque }],
  });
  const described = await client.call(describeGroupsApi, 5, {
    groups: [group],
    includeAuthorizedOperations: false,
  });
  expect(described.groups).toMatchObject([
    { groupState: 'Stable', protocolType: 'connect', members: [{ memberAssignment: opaque }] },
  ]);
  const listed = await client.call(listGroupsApi, 5, { statesFilter: [], typesFilter: [] });
  expect(listed.groups).toContainEqual({
    groupId: group,
    protocolType: 'connect',
    groupState: 'Stable',
    groupType: 'classic',
  });
  expect((await join('', 'consumer')).errorCode).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
});
