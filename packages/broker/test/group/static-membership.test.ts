import { describe, expect, it } from 'vitest';
import { GroupFixture, protocols, REBALANCE_MS, SESSION_MS, syncAll } from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

const STATIC = { groupInstanceId: 'instance' };

describe('a static member', () => {
  it('is never asked to come again with its id, and is named after its instance', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member(STATIC);
    const joined = member.joinOnce();
    await fixture.settle();
    expect((await joined).error).toBe('NONE');
    expect(member.memberId).toMatch(/^instance-[0-9a-f-]{36}$/);
    expect(member.lastJoin?.members[0]?.groupInstanceId).toBe('instance');
  });

  it('that restarts in a stable group disturbs nobody and gets its assignment back', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    const before = fixture.member(STATIC);
    const joins = [before.join(), leader.join()];
    await Promise.all(joins);
    await syncAll([leader, before]);

    const after = fixture.member(STATIC);
    expect(await after.join()).toMatchObject({
      error: 'NONE',
      generationId: 2,
      leader: leader.memberId,
      skipAssignment: false,
      members: [],
    });
    expect(after.memberId).not.toBe(before.memberId);
    expect(leader.heartbeat()).toBe('NONE');
    expect((await after.sync()).assignment.toString()).toBe(`for ${before.memberId}`);
    expect(before.heartbeat()).toBe('FENCED_INSTANCE_ID');
    expect((await before.sync()).error).toBe('FENCED_INSTANCE_ID');
    expect(await before.commit(1)).toBe('FENCED_INSTANCE_ID');
    expect(before.leave()).toBe('FENCED_INSTANCE_ID');
    expect((await before.joinOnce()).error).toBe('FENCED_INSTANCE_ID');
  });

  it('that restarts before it asked for its assignment is still expected to ask', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member({ requiresKnownMemberId: false });
    const before = fixture.member(STATIC);
    await Promise.all([leader.join(), before.join(), fixture.settle()]);
    await leader.sync();
    const after = fixture.member(STATIC);
    await after.join();
    let isThere = false;
    const waited = fixture.coordinator.waitForGroup('group').then(() => {
      isThere = true;
    });
    await fixture.settle();
    expect(isThere).toBe(false);
    await after.sync();
    await waited;
  });

  it('that led and restarts is told to skip the assignment, with the members to watch', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1, STATIC);
    const after = fixture.member(STATIC);
    const joined = await after.join();
    expect(joined).toMatchObject({ error: 'NONE', generationId: 1, skipAssignment: true });
    expect(joined.leader).toBe(after.memberId);
    expect(joined.members).toHaveLength(1);
  });

  it('that led and restarts before v9 is told that its former self leads', async () => {
    const fixture = new GroupFixture();
    const [before] = await fixture.stableGroup(1, STATIC);
    const after = fixture.member({ ...STATIC, supportsSkipAssignment: false });
    expect(await after.join()).toMatchObject({
      error: 'NONE',
      leader: before.memberId,
      skipAssignment: false,
      members: [],
    });
  });

  it('that restarts with protocols that change the choice starts a rebalance', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1, STATIC);
    const after = fixture.member({ ...STATIC, protocols: protocols('roundrobin') });
    expect(await after.join()).toMatchObject({ generationId: 2, protocolName: 'roundrobin' });
  });

  it('that restarts before the assignments are there starts a rebalance', async () => {
    const fixture = new GroupFixture();
    const before = fixture.member(STATIC);
    const other = fixture.member();
    await Promise.all([before.join(), other.join(), fixture.settle()]);
    const waiting = other.sync();
    const after = fixture.member(STATIC);
    const joined = after.join();
    expect((await waiting).error).toBe('REBALANCE_IN_PROGRESS');
    await other.join();
    expect((await joined).generationId).toBe(2);
  });

  it('whose former self has a join parked fences that join', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const before = fixture.member(STATIC).join();
    const after = fixture.member(STATIC).join();
    expect(await before).toMatchObject({ error: 'FENCED_INSTANCE_ID', generationId: -1 });
    await fixture.clock.advanceAsync(3000);
    expect(await after).toMatchObject({ error: 'NONE', generationId: 1 });
  });

  it('whose former self has a sync parked fences that sync', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member({ requiresKnownMemberId: false });
    const before = fixture.member(STATIC);
    await Promise.all([leader.join(), before.join(), fixture.settle()]);
    const waiting = before.sync();
    const after = fixture.member(STATIC).join();
    expect((await waiting).error).toBe('FENCED_INSTANCE_ID');
    await leader.join();
    expect((await after).error).toBe('NONE');
  });

  it('that does not come to a rebalance stays until its session ends', async () => {
    const fixture = new GroupFixture();
    const instance = fixture.member({ ...STATIC, sessionTimeoutMs: 10 * REBALANCE_MS });
    const other = fixture.member();
    await Promise.all([instance.join(), other.join(), fixture.settle()]);
    await syncAll([instance, other]);
    const rejoined = other.join({});
    expect(fixture.state()).toBe('Stable');
    await rejoined;
    other.request = { ...other.request, protocols: protocols('range', 'roundrobin') };
    const second = other.join();
    await fixture.clock.advanceAsync(REBALANCE_MS);
    const joined = await second;
    expect(joined.leader).toBe(other.memberId);
    expect(joined.members).toHaveLength(2);
  });

  it('alone in a rebalance is waited for until its session ends', async () => {
    const fixture = new GroupFixture();
    const instance = fixture.member({ ...STATIC, sessionTimeoutMs: 3 * REBALANCE_MS });
    const other = fixture.member({ sessionTimeoutMs: 3 * REBALANCE_MS });
    await Promise.all([instance.join(), other.join(), fixture.settle()]);
    await syncAll([instance, other]);
    other.leave();
    await fixture.clock.advanceAsync(2 * REBALANCE_MS);
    expect(fixture.state()).toBe('PreparingRebalance');
    await fixture.clock.advanceAsync(REBALANCE_MS);
    expect(fixture.state()).toBe('Empty');
  });

  it('that goes away loses its place after its session timeout, not before', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1, STATIC);
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    expect(fixture.state()).toBe('Stable');
    await fixture.clock.advanceAsync(1);
    expect(fixture.state()).toBe('Empty');
  });

  it('is taken out by an administrator by its instance id alone', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1, STATIC);
    const members = [{ memberId: '', groupInstanceId: 'instance' }];
    expect(fixture.coordinator.leaveGroup({ groupId: 'group', members }).members[0]?.error).toBe(
      'NONE',
    );
    expect(member.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });

  it('with an id that is not its own is fenced, with one of nobody unknown', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1, STATIC);
    const other = fixture.member(STATIC);
    other.memberId = 'something-else';
    expect((await other.joinOnce()).error).toBe('FENCED_INSTANCE_ID');
    const unknown = fixture.member({ groupInstanceId: 'another instance' });
    unknown.memberId = 'something-else';
    expect((await unknown.joinOnce()).error).toBe('UNKNOWN_MEMBER_ID');
    expect(member.heartbeat()).toBe('NONE');
  });

  it('that comes back to a full group takes its own place', async () => {
    const fixture = new GroupFixture({ maxGroupSize: 1 });
    await fixture.stableGroup(1, STATIC);
    expect((await fixture.member(STATIC).join()).error).toBe('NONE');
  });

  it('whose new id the log refuses keeps its old one', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [before] = await fixture.stableGroup(1, STATIC);
    log.failure = new Error('disk full');
    const after = fixture.member(STATIC);
    expect((await after.join()).error).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(before.heartbeat()).toBe('NONE');
    log.failure = undefined;
    expect((await after.join()).error).toBe('NONE');
  });

  it('that is replaced or outrun while its new id is written is told so', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    await fixture.stableGroup(1, STATIC);
    log.isHeld = true;
    const replaced = fixture.member(STATIC).join();
    const outrun = fixture.member(STATIC);
    const outrunJoin = outrun.join();
    const newcomer = fixture.member({ requiresKnownMemberId: false }).join();
    await fixture.clock.advanceAsync(SESSION_MS);
    log.release();
    expect((await replaced).error).toBe('FENCED_INSTANCE_ID');
    expect((await outrunJoin).error).toBe('UNKNOWN_MEMBER_ID');
    expect((await newcomer).members).toHaveLength(1);
  });
});
