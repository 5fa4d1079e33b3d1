import { seededRandom } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { GroupCoordinatorClosedError } from '../../src/group/group-coordinator-closed-error.ts';
import { encodeGroupMetadata } from '../../src/group/group-metadata-record.ts';
import { encodeGroupKey } from '../../src/group/offset-records.ts';
import {
  commitError,
  GroupFixture,
  protocols,
  SESSION_MS,
  syncAll,
  TestMember,
} from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

async function started(log: MemoryOffsetLog): Promise<GroupFixture> {
  // Another seed each time, or member ids would be given out twice.
  const random = seededRandom(log.records.length);
  const fixture = new GroupFixture({}, { offsetLog: log, random });
  await fixture.coordinator.load([...log.records]);
  return fixture;
}

/** The same client, talking to the coordinator after its restart. */
function reconnect(member: TestMember, fixture: GroupFixture): TestMember {
  const again = new TestMember(fixture.coordinator, member.request);
  again.memberId = member.memberId;
  again.generationId = member.generationId;
  again.lastJoin = member.lastJoin;
  return again;
}

describe('while the log is being loaded', () => {
  it('everything but heartbeats answers COORDINATOR_LOAD_IN_PROGRESS, so that nobody starts from scratch', async () => {
    const fixture = new GroupFixture({}, { offsetLog: new MemoryOffsetLog() });
    const { coordinator } = fixture;
    const member = fixture.member();
    const error = 'COORDINATOR_LOAD_IN_PROGRESS';
    expect(coordinator.isReady).toBe(false);
    expect((await member.join()).error).toBe(error);
    expect((await member.sync()).error).toBe(error);
    expect(member.heartbeat()).toBe('NONE');
    expect(coordinator.leaveGroup({ groupId: 'group', members: [] }).error).toBe(error);
    expect(await commitError(fixture)).toBe(error);
    const topics = [{ name: 'topic', partitions: [0] }];
    expect(await coordinator.fetchOffsets({ groupId: 'group', topics })).toMatchObject({
      error,
      topics: [{ name: 'topic', partitions: [{ index: 0, offset: -1, error }] }],
    });
    expect(await coordinator.deleteOffsets({ groupId: 'group', topics })).toEqual({
      error,
      topics: [],
    });
    expect(coordinator.describeGroups(['group'])[0]?.error).toBe(error);
    expect(coordinator.listGroups()).toEqual({ error, groups: [] });
    expect(await coordinator.deleteGroups(['group'])).toEqual([{ groupId: 'group', error }]);
    await coordinator.load([]);
    expect(coordinator.isReady).toBe(true);
    expect(await commitError(fixture)).toBe('NONE');
  });

  it('loading a second time, or without a log, is a mistake of the program', async () => {
    const loaded = await started(new MemoryOffsetLog());
    await expect(loaded.coordinator.load([])).rejects.toThrow('loads once');
    await expect(new GroupFixture().coordinator.load([])).rejects.toThrow('loads once');
  });

  it('a log that cannot be read leaves the coordinator loading', async () => {
    const { coordinator } = new GroupFixture({}, { offsetLog: new MemoryOffsetLog() });
    async function* broken(): AsyncGenerator<{ key: null; value: null }> {
      yield { key: null, value: null };
      throw new Error('cannot read');
    }
    await expect(coordinator.load(broken())).rejects.toThrow('cannot read');
    expect(coordinator.isReady).toBe(false);
  });
});

describe('after a restart', () => {
  it('members go on heart-beating as if nothing had been', async () => {
    const log = new MemoryOffsetLog();
    const before = await started(log);
    const [leader, follower] = await before.stableGroup(2);
    await leader.commit(7);
    await before.coordinator.close();

    const after = await started(log);
    const members = [leader, follower].map((member) => reconnect(member ?? leader, after));
    expect(after.state()).toBe('Stable');
    expect(members.map((member) => member.heartbeat())).toEqual(['NONE', 'NONE']);
    expect((await members[1]?.sync())?.assignment.toString()).toBe(`for ${follower?.memberId}`);
    expect(await members[0]?.committed()).toBe(7);
    expect(await members[0]?.commit(8)).toBe('NONE');
    expect(after.coordinator.describeGroups(['group'])[0]).toMatchObject({
      protocolType: 'consumer',
      protocol: 'range',
      members: [{ clientId: 'client', clientHost: '/127.0.0.1' }, {}],
    });
  });

  it('members have a whole session timeout to come back', async () => {
    const log = new MemoryOffsetLog();
    await (await started(log)).stableGroup(1);
    const after = await started(log);
    await after.clock.advanceAsync(SESSION_MS - 1);
    expect(after.state()).toBe('Stable');
    await after.clock.advanceAsync(1);
    expect(after.state()).toBe('Empty');
  });

  it('a member that rejoins is no newcomer: it may wait for the whole rebalance timeout', async () => {
    const log = new MemoryOffsetLog();
    const timing = { rebalanceTimeoutMs: 1_000_000, sessionTimeoutMs: 500_000 };
    const [leader, follower] = await (await started(log)).stableGroup(2, timing);
    const after = await started(log);
    const rejoined = reconnect(leader, after).join();
    await after.clock.advanceAsync(400_000);
    const other = reconnect(follower ?? leader, after);
    expect(other.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    await after.clock.advanceAsync(400_000);
    await other.join();
    expect((await rejoined).members).toHaveLength(2);
  });

  it('the generation goes on where it was', async () => {
    const log = new MemoryOffsetLog();
    const [member] = await (await started(log)).stableGroup(1);
    const after = await started(log);
    expect((await reconnect(member, after).join()).generationId).toBe(2);
  });

  it('a static member takes its place again', async () => {
    const log = new MemoryOffsetLog();
    const [member] = await (await started(log)).stableGroup(1, { groupInstanceId: 'instance' });
    const after = await started(log);
    const again = after.member({ groupInstanceId: 'instance' });
    expect(await again.join()).toMatchObject({ generationId: 1, skipAssignment: true });
    expect((await again.sync()).assignment.toString()).toBe(`for ${member.memberId}`);
  });

  it('a static member that had come back under a new id still has it', async () => {
    const log = new MemoryOffsetLog();
    const before = await started(log);
    await before.stableGroup(1, { groupInstanceId: 'instance' });
    const again = before.member({ groupInstanceId: 'instance' });
    await again.join();
    const after = await started(log);
    expect(reconnect(again, after).heartbeat()).toBe('NONE');
  });

  it('an empty group is still there with its offsets and since when it is empty', async () => {
    const log = new MemoryOffsetLog();
    const before = await started(log);
    const [member] = await before.stableGroup(1);
    await member.commit(4);
    member.leave();
    await before.settle();
    const after = new GroupFixture(
      { offsetsRetentionMs: 1000, offsetsRetentionCheckIntervalMs: 100 },
      { offsetLog: log, clock: before.clock },
    );
    await before.coordinator.close();
    await after.coordinator.load([...log.records]);
    expect(after.state()).toBe('Empty');
    await after.clock.advanceAsync(900);
    expect(await reconnect(member, after).committed()).toBe(4);
    await after.clock.advanceAsync(100);
    expect(after.state()).toBe('Dead');
  });

  it('a group that was deleted is not', async () => {
    const log = new MemoryOffsetLog();
    const before = await started(log);
    await commitError(before);
    await before.coordinator.deleteGroups(['group']);
    expect((await started(log)).coordinator.listGroups().groups).toEqual([]);
  });

  it('a group that is larger than the limit is now rebalances and shrinks', async () => {
    const log = new MemoryOffsetLog();
    const members = await (await started(log)).stableGroup(3);
    const after = new GroupFixture({ maxGroupSize: 2 }, { offsetLog: log });
    await after.coordinator.load([...log.records]);
    const joins = await Promise.all(members.map((member) => reconnect(member, after).join()));
    expect(joins.map(({ error }) => error).toSorted()).toEqual([
      'GROUP_MAX_SIZE_REACHED',
      'NONE',
      'NONE',
    ]);
  });

  it('from a snapshot everything is as it was', async () => {
    const log = new MemoryOffsetLog();
    const before = await started(log);
    const [member] = await before.stableGroup(2);
    for (let i = 0; i < 50; i += 1) await member.commit(i);
    const rewritten = new MemoryOffsetLog();
    rewritten.records.push(...before.coordinator.snapshot());
    expect(rewritten.records).toHaveLength(2);
    const after = await started(rewritten);
    expect(await reconnect(member, after).committed()).toBe(49);
    expect(reconnect(member, after).heartbeat()).toBe('NONE');
  });

  it('members of a group without a protocol are not restored', async () => {
    const log = new MemoryOffsetLog();
    const [member] = await (await started(log)).stableGroup(1);
    const described = {
      memberId: member.memberId,
      groupInstanceId: null,
      clientId: '',
      clientHost: '',
      rebalanceTimeoutMs: -1,
      sessionTimeoutMs: -1,
      subscription: Buffer.alloc(0),
      assignment: Buffer.alloc(0),
    };
    const metadata = {
      protocolType: '',
      generationId: -5,
      protocolName: null,
      leaderId: 'x',
      stateSinceMs: -1,
      members: [described],
    };
    log.records.push({ key: encodeGroupKey('group'), value: encodeGroupMetadata(metadata) });
    const after = await started(log);
    expect(after.state()).toBe('Empty');
    expect(after.lines.some(({ level }) => level === 'warn')).toBe(true);
  });
});

describe('close', () => {
  it('answers everything that is parked and leaves no timer', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const joined = fixture.member({ requiresKnownMemberId: false }).join();
    const other = new GroupFixture();
    const leader = other.member();
    const follower = other.member();
    await Promise.all([leader.join(), follower.join(), other.settle()]);
    const synced = follower.sync();
    const waited = other.coordinator.waitForGroup('group', { members: 9 });
    const rejected = expect(waited).rejects.toThrow(GroupCoordinatorClosedError);
    await Promise.all([fixture.coordinator.close(), other.coordinator.close()]);
    expect((await joined).error).toBe('COORDINATOR_NOT_AVAILABLE');
    expect((await synced).error).toBe('COORDINATOR_NOT_AVAILABLE');
    await rejected;
    expect(fixture.clock.pendingTimers + other.clock.pendingTimers).toBe(0);
  });

  it('waits for writes under way, and may be called again', async () => {
    const log = new MemoryOffsetLog();
    const fixture = await started(log);
    log.isHeld = true;
    const committed = commitError(fixture);
    let isClosed = false;
    const closed = fixture.coordinator.close().then(() => {
      isClosed = true;
    });
    await fixture.settle();
    expect(isClosed).toBe(false);
    log.release();
    expect(await committed).toBe('NONE');
    await closed;
    await fixture.coordinator.close();
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('in the middle of a sync, a join and a static return leaves no timer either', async () => {
    const log = new MemoryOffsetLog();
    const fixture = await started(log);
    await fixture.stableGroup(1, { groupInstanceId: 'instance' });
    const leader = fixture.member({ groupId: 'other' });
    await Promise.all([leader.join(), fixture.settle()]);
    log.isHeld = true;
    const synced = leader.sync();
    const returned = fixture.member({ groupInstanceId: 'instance' }).join();
    const closed = fixture.coordinator.close();
    log.refuse(new Error('disk gone'));
    await closed;
    expect((await synced).error).toBe('COORDINATOR_NOT_AVAILABLE');
    expect((await returned).error).toBe('COORDINATOR_NOT_AVAILABLE');
    await fixture.settle();
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('makes later calls COORDINATOR_NOT_AVAILABLE, or reject', async () => {
    const fixture = new GroupFixture();
    await using coordinator = fixture.coordinator;
    await coordinator.close();
    expect((await fixture.member().join()).error).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(fixture.member().heartbeat()).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(await commitError(fixture)).toBe('COORDINATOR_NOT_AVAILABLE');
    coordinator.onDisconnect([{ groupId: 'group', memberId: '' }]);
    await expect(coordinator.load([])).rejects.toThrow(GroupCoordinatorClosedError);
    await expect(coordinator.waitForGroup('group')).rejects.toMatchObject({
      code: 'LOGLOFT_GROUP_COORDINATOR_CLOSED',
    });
    await expect(coordinator.onTopicsDeleted(['topic'])).rejects.toThrow(
      GroupCoordinatorClosedError,
    );
  });
});

it('protocols other than the chosen one are known again once members rejoin after a restart', async () => {
  const log = new MemoryOffsetLog();
  const before = await started(log);
  const overrides = { protocols: protocols('range', 'roundrobin') };
  const members = await before.stableGroup(2, overrides);
  const after = await started(log);
  const again = members.map((member) => reconnect(member, after));
  const roundrobin = { protocols: protocols('roundrobin') };
  expect((await after.member(roundrobin).join()).error).toBe('INCONSISTENT_GROUP_PROTOCOL');
  await Promise.all(again.map((member) => member.join()));
  await syncAll(again);
  const joined = after.member(roundrobin).join();
  await after.settle();
  await Promise.all(again.map((member) => member.join()));
  expect(await joined).toMatchObject({ error: 'NONE', protocolName: 'roundrobin' });
});
