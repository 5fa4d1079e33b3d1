import { describe, expect, it } from 'vitest';
import { GroupFixture, SESSION_MS } from './group-fixture.ts';

describe('Heartbeat', () => {
  it('answers NONE in a stable group and before the assignments are there', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member();
    await Promise.all([member.join(), fixture.settle()]);
    expect(fixture.state()).toBe('CompletingRebalance');
    expect(member.heartbeat()).toBe('NONE');
    await member.sync();
    expect(member.heartbeat()).toBe('NONE');
  });

  it('tells of a rebalance and keeps the session alive all the same', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    for (let i = 0; i < 4; i += 1) {
      await fixture.clock.advanceAsync(SESSION_MS / 2);
      expect(follower?.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    }
    await follower?.join();
    expect((await rejoined).members).toHaveLength(2);
  });

  it('of another generation is ILLEGAL_GENERATION', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    expect(member.heartbeat({ generationId: 2 })).toBe('ILLEGAL_GENERATION');
  });

  it('of nobody that is known is UNKNOWN_MEMBER_ID', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    const request = { groupId: 'group', generationId: 1, memberId: '__proto__' };
    expect(fixture.coordinator.heartbeat(request)).toBe('UNKNOWN_MEMBER_ID');
    expect(fixture.coordinator.heartbeat({ ...request, groupId: 'other' })).toBe(
      'UNKNOWN_MEMBER_ID',
    );
    expect(fixture.coordinator.heartbeat({ ...request, groupId: '' })).toBe('INVALID_GROUP_ID');
  });
});

describe('a session', () => {
  it('that ends without a heartbeat takes the member out and rebalances', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    expect(leader.heartbeat()).toBe('NONE');
    await fixture.clock.advanceAsync(1);
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    expect(follower?.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
    expect((await leader.join()).members).toHaveLength(1);
  });

  it('begins again with the answer to a join, for those who then fall silent', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member();
    await Promise.all([member.join(), fixture.settle()]);
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    expect(fixture.state()).toBe('CompletingRebalance');
    await fixture.clock.advanceAsync(1);
    expect(fixture.state()).toBe('Dead');
  });

  it('does not run while a join is parked, even if the member heartbeats', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    for (let ms = 0; ms < 2 * SESSION_MS; ms += 5000) {
      follower?.heartbeat();
      await fixture.clock.advanceAsync(5000);
    }
    await follower?.join();
    expect((await rejoined).error).toBe('NONE');
  });

  it('is prolonged by commits', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    for (let i = 0; i < 5; i += 1) {
      await fixture.clock.advanceAsync(SESSION_MS - 1);
      expect(await member.commit(i)).toBe('NONE');
    }
    expect(member.heartbeat()).toBe('NONE');
  });

  it('of the last member leaves an empty group', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(5);
    await fixture.clock.advanceAsync(SESSION_MS);
    expect(fixture.state()).toBe('Empty');
    expect(await member.committed()).toBe(5);
    expect(member.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });
});

describe('LeaveGroup', () => {
  it('of a member rebalances the others', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    expect(follower?.leave()).toBe('NONE');
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    expect(follower?.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });

  it('of the one member that was waited for completes the join phase', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    follower?.leave();
    expect(await rejoined).toMatchObject({ error: 'NONE', generationId: 2 });
  });

  it('of a pending id completes the join phase that waits for it', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    const newcomer = fixture.member();
    await newcomer.joinOnce();
    const rejoined = leader.join();
    expect(newcomer.leave()).toBe('NONE');
    expect((await rejoined).generationId).toBe(2);
    expect((await newcomer.joinOnce()).error).toBe('UNKNOWN_MEMBER_ID');
  });

  it('of a member whose join is parked answers the join with UNKNOWN_MEMBER_ID', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    leader.leave();
    expect((await rejoined).error).toBe('UNKNOWN_MEMBER_ID');
    await follower?.join();
  });

  it('of a member whose sync is parked answers the sync with UNKNOWN_MEMBER_ID', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member();
    const follower = fixture.member();
    await Promise.all([leader.join(), follower.join(), fixture.settle()]);
    const waiting = follower.sync();
    follower.leave();
    expect((await waiting).error).toBe('UNKNOWN_MEMBER_ID');
  });

  it('answers for each member of a list', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const members = [
      { memberId: leader.memberId },
      { memberId: 'nobody' },
      { memberId: follower?.memberId ?? '', groupInstanceId: null },
      { memberId: '', groupInstanceId: 'no such instance' },
    ];
    expect(fixture.coordinator.leaveGroup({ groupId: 'group', members })).toEqual({
      error: 'NONE',
      members: [
        { memberId: leader.memberId, groupInstanceId: null, error: 'NONE' },
        { memberId: 'nobody', groupInstanceId: null, error: 'UNKNOWN_MEMBER_ID' },
        { memberId: follower?.memberId, groupInstanceId: null, error: 'NONE' },
        { memberId: '', groupInstanceId: 'no such instance', error: 'UNKNOWN_MEMBER_ID' },
      ],
    });
    expect(
      fixture.coordinator.leaveGroup({
        groupId: 'other',
        members: [members[0]].flatMap((m) => m ?? []),
      }).members[0]?.error,
    ).toBe('UNKNOWN_MEMBER_ID');
    expect(fixture.coordinator.leaveGroup({ groupId: '', members })).toEqual({
      error: 'INVALID_GROUP_ID',
      members: [],
    });
  });

  it('of everybody without a commit leaves nothing but the record of the group for the retention check', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    member.leave();
    expect(fixture.state()).toBe('Empty');
    await fixture.clock.advanceAsync(600_000);
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });
});
