import { describe, expect, it } from 'vitest';
import type { GroupErrorName } from '../../src/group/group-error.ts';
import {
  GroupFixture,
  REBALANCE_MS,
  SESSION_MS,
  simpleCommit,
  subscription,
  syncAll,
  TestMember,
} from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

const FORGETFUL = { forgetMembersOnDisconnect: true };

// Each name says what a user of another broker or client had reported broken, put right; the number
// is that of the case in the project's list.
describe('group membership', () => {
  it('40: a fresh group is joined without any delay', async () => {
    const fixture = new GroupFixture();
    const startedMs = fixture.clock.monotonic();
    await fixture.stableGroup(1);
    expect(fixture.clock.monotonic() - startedMs).toBe(0);
  });

  it('40: a consumer that was killed does not hold its successor up when disconnects are told', async () => {
    const fixture = new GroupFixture(FORGETFUL);
    const [killed] = await fixture.stableGroup(1);
    fixture.coordinator.onDisconnect([{ groupId: 'group', memberId: killed.memberId }]);
    await fixture.stableGroup(1);
    expect(fixture.clock.monotonic()).toBe(0);
    expect(killed.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });

  it('40: without that switch it is waited for as Kafka does', async () => {
    const fixture = new GroupFixture();
    const [killed] = await fixture.stableGroup(1);
    fixture.coordinator.onDisconnect([{ groupId: 'group', memberId: killed.memberId }]);
    const joined = fixture.member().join();
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    expect(fixture.state()).toBe('PreparingRebalance');
    await fixture.clock.advanceAsync(1);
    expect((await joined).members).toHaveLength(1);
  });

  it('41: a disconnect takes a pending id along, but never a static member', async () => {
    const fixture = new GroupFixture(FORGETFUL);
    const [instance] = await fixture.stableGroup(1, { groupInstanceId: 'instance' });
    const pending = fixture.member();
    await pending.joinOnce();
    fixture.coordinator.onDisconnect([
      { groupId: 'group', memberId: instance.memberId },
      { groupId: 'group', memberId: pending.memberId },
      { groupId: 'no such group', memberId: pending.memberId },
    ]);
    expect(instance.heartbeat()).toBe('NONE');
    expect((await pending.joinOnce()).error).toBe('UNKNOWN_MEMBER_ID');
  });

  it('41: a disconnect of the one that was waited for completes the rebalance', async () => {
    const fixture = new GroupFixture(FORGETFUL);
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    fixture.coordinator.onDisconnect([{ groupId: 'group', memberId: follower?.memberId ?? '' }]);
    expect((await rejoined).generationId).toBe(2);
  });

  it('42: a test can wait until its consumers have their assignments', async () => {
    const fixture = new GroupFixture();
    let isThere = false;
    const waited = fixture.coordinator.waitForGroup('group', { members: 2 }).then((group) => {
      isThere = true;
      return group;
    });
    const leader = fixture.member();
    const follower = fixture.member();
    await Promise.all([leader.join(), follower.join(), fixture.settle()]);
    await leader.sync();
    await fixture.settle();
    expect(isThere).toBe(false);
    await follower.sync();
    expect(await waited).toMatchObject({ state: 'Stable', members: [{}, {}] });
    expect((await fixture.coordinator.waitForGroup('group')).state).toBe('Stable');
    leader.leave();
    follower.leave();
    const empty = await fixture.coordinator.waitForGroup('group', { state: 'Empty', members: 0 });
    expect(empty.members).toEqual([]);
    expect((await fixture.coordinator.waitForGroup('other', { state: 'Dead' })).state).toBe('Dead');
  });

  it('42: a test can stop waiting', async () => {
    const { coordinator } = new GroupFixture();
    const gone = new AbortController();
    const waited = coordinator.waitForGroup('group', { signal: gone.signal });
    gone.abort(new Error('enough'));
    await expect(waited).rejects.toThrow('enough');
    await expect(coordinator.waitForGroup('group', { signal: gone.signal })).rejects.toThrow(
      'enough',
    );
  });

  it('44: a member that missed a generation is told so and may join with its id', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    await follower?.join();
    await rejoined;
    await syncAll([leader, follower ?? leader]);
    expect(follower?.heartbeat({ generationId: 1 })).toBe('ILLEGAL_GENERATION');
    expect(await follower?.commit(1, { generationId: 1 })).toBe('ILLEGAL_GENERATION');
    const { memberId } = follower ?? leader;
    expect(await follower?.join()).toMatchObject({ error: 'NONE', generationId: 2, memberId });
  });

  it('45: the coordinator is there as soon as its log is loaded, and says so until then', async () => {
    const { coordinator } = new GroupFixture({}, { offsetLog: new MemoryOffsetLog() });
    expect(coordinator.isReady).toBe(false);
    const loading = coordinator.load([]);
    await loading;
    expect(coordinator.isReady).toBe(true);
  });

  it('50: owned partitions and generations in cooperative metadata reach the leader unchanged', async () => {
    const fixture = new GroupFixture();
    const metadata = Buffer.from(
      '00030000000100046a61766100000004ffffffff00000000ffffffffffff',
      'hex',
    );
    const protocols = [{ name: 'cooperative-sticky', metadata }];
    const [leader, second, third] = await fixture.stableGroup(3, { protocols });
    expect(leader.lastJoin?.members.map((member) => member.metadata)).toEqual(
      Array(3).fill(metadata),
    );
    let present = [leader, second, third].flatMap((member) => member ?? []);
    // A rolling restart: one after the other leaves and comes back as a new member.
    for (const restarted of [...present]) {
      restarted.leave();
      const others = present.filter((member) => member !== restarted);
      const again = fixture.member({ protocols });
      await again.joinOnce();
      present = [...others, again];
      await Promise.all(present.map((member) => member.join()));
      const syncs = await syncAll(present);
      expect(syncs.map(({ assignment }) => assignment.toString())).toEqual(
        present.map(({ memberId }) => `for ${memberId}`),
      );
    }
    expect(present.map(({ generationId }) => generationId)).toEqual([4, 4, 4]);
  });

  it('51: metadata and assignments are bytes: nothing, null user data and garbage come out as they went in', async () => {
    const fixture = new GroupFixture();
    const payloads = [Buffer.alloc(0), subscription('topic'), Buffer.from('ffffffff', 'hex')];
    const members = payloads.map((metadata) =>
      fixture.member({ protocols: [{ name: 'range', metadata }] }),
    );
    await Promise.all([...members.map((member) => member.join()), fixture.settle()]);
    const [leader] = members;
    expect(leader?.lastJoin?.members.map(({ metadata }) => metadata)).toEqual(payloads);
    const assignments = members.map(({ memberId }, index) => ({
      memberId,
      assignment: payloads[index] ?? Buffer.alloc(0),
    }));
    const syncs = members.map((member) =>
      fixture.coordinator.syncGroup({
        groupId: 'group',
        generationId: 1,
        memberId: member.memberId,
        assignments: member === leader ? assignments : [],
      }),
    );
    expect((await Promise.all(syncs)).map(({ assignment }) => assignment)).toEqual(payloads);
  });

  it('52: a member without partitions stays in the group', async () => {
    const fixture = new GroupFixture();
    const members = await fixture.stableGroup(3);
    for (let i = 0; i < 5; i += 1) {
      await fixture.clock.advanceAsync(SESSION_MS - 1);
      expect(members.map((member) => member.heartbeat())).toEqual(['NONE', 'NONE', 'NONE']);
    }
  });

  it('55: a static member that returns quickly causes no rebalance, its double is fenced', async () => {
    const fixture = new GroupFixture();
    const [first] = await fixture.stableGroup(1, { groupInstanceId: 'instance' });
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    const second = fixture.member({ groupInstanceId: 'instance' });
    expect((await second.join()).generationId).toBe(1);
    expect(second.heartbeat()).toBe('NONE');
    expect(first.heartbeat()).toBe('FENCED_INSTANCE_ID');
  });

  it('56: a join is parked for the rebalance timeout at most and answered once', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(2, { sessionTimeoutMs: 2 * REBALANCE_MS });
    const requestTimedOut = leader.joinOnce();
    const answers: GroupErrorName[] = [];
    void requestTimedOut.then(({ error }) => answers.push(error));
    await fixture.clock.advanceAsync(REBALANCE_MS / 2);
    const retried = leader.joinOnce();
    await fixture.clock.advanceAsync(REBALANCE_MS / 2);
    expect((await retried).error).toBe('NONE');
    expect(answers).toEqual(['REBALANCE_IN_PROGRESS']);
  });

  it('64: a group of type connect is described with its type and its bytes', async () => {
    const fixture = new GroupFixture();
    const protocols = [{ name: 'sessioned', metadata: Buffer.from([0, 1, 255]) }];
    await fixture.stableGroup(1, { protocolType: 'connect', protocols });
    expect(fixture.coordinator.describeGroups(['group'])[0]).toMatchObject({
      protocolType: 'connect',
      protocol: 'sessioned',
      members: [{ metadata: Buffer.from([0, 1, 255]) }],
    });
    expect(fixture.coordinator.listGroups().groups[0]?.protocolType).toBe('connect');
  });
});

describe('committed offsets', () => {
  it('46: whoever takes partitions over sees the last commit of their old owner', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader, follower] = await fixture.stableGroup(2);
    log.isHeld = true;
    const committed = follower?.commit(123, { partition: 1 });
    follower?.leave();
    const rejoined = leader.join();
    const fetched = leader.committed(1);
    await fixture.settle();
    log.isHeld = false;
    log.release();
    expect((await rejoined).generationId).toBe(2);
    expect([await committed, await fetched]).toEqual(['NONE', 123]);
  });

  it('54: commits of an old generation are refused, and no offset moves backwards', async () => {
    const fixture = new GroupFixture();
    const [slow] = await fixture.stableGroup(1);
    await slow.commit(10);
    const second = fixture.member();
    const joined = second.join();
    await fixture.clock.advanceAsync(SESSION_MS);
    expect((await joined).leader).toBe(second.memberId);
    await second.sync();
    expect(await second.commit(20)).toBe('NONE');
    expect(await slow.commit(11)).toBe('UNKNOWN_MEMBER_ID');
    const returned = slow.join();
    expect((await returned).error).toBe('UNKNOWN_MEMBER_ID');
    expect(await second.committed()).toBe(20);
  });

  it('58: a consumer never gets an older commit, across rebalances and restarts', async () => {
    const log = new MemoryOffsetLog();
    let fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    let [member] = await fixture.stableGroup(1);
    for (let offset = 1; offset <= 100; offset += 1) {
      expect(await member.commit(offset)).toBe('NONE');
      if (offset % 10 === 0) await member.join().then(() => member.sync());
      if (offset % 25 === 0) {
        await fixture.coordinator.close();
        fixture = new GroupFixture({}, { offsetLog: log });
        await fixture.coordinator.load([...log.records]);
        const again = new TestMember(fixture.coordinator, member.request);
        again.memberId = member.memberId;
        again.generationId = member.generationId;
        member = again;
      }
      expect(await member.committed()).toBe(offset);
    }
  });

  it('59: the offset is stored as it is told, the next one to read', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(10);
    expect(await member.committed()).toBe(10);
  });

  it('60: metadata with zero bytes come back whole, up to 4096 bytes', async () => {
    const fixture = new GroupFixture();
    const { coordinator } = fixture;
    const metadata = 'a\0b'.padEnd(4096, '\0');
    const partitions = [
      { index: 0, offset: 1, metadata },
      { index: 1, offset: 1, metadata: `${metadata}x` },
    ];
    const result = await coordinator.commitOffsets(simpleCommit(partitions));
    expect(result.topics[0]?.partitions.map(({ error }) => error)).toEqual([
      'NONE',
      'OFFSET_METADATA_TOO_LARGE',
    ]);
    const fetched = await coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(fetched.topics[0]?.partitions.map((partition) => partition.metadata)).toEqual([
      metadata,
    ]);
  });

  it('61: an administrator sets offsets of an empty group and not of an active one', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    const set = async (offset: number): Promise<string | undefined> => {
      const result = await fixture.coordinator.commitOffsets(simpleCommit([{ index: 0, offset }]));
      return result.topics[0]?.partitions[0]?.error;
    };
    expect(await set(5)).toBe('UNKNOWN_MEMBER_ID');
    member.leave();
    expect(await set(5)).toBe('NONE');
    expect(await member.committed()).toBe(5);
  });

  it('62: offsets of an idle group are deleted, those of a subscribed topic are not', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(5);
    const topics = [{ name: 'topic', partitions: [0] }];
    const remove = async (): Promise<string | undefined> => {
      const result = await fixture.coordinator.deleteOffsets({ groupId: 'group', topics });
      return result.topics[0]?.partitions[0]?.error;
    };
    expect(await remove()).toBe('GROUP_SUBSCRIBED_TO_TOPIC');
    member.leave();
    expect(await remove()).toBe('NONE');
    expect(await member.committed()).toBe(-1);
  });
});
