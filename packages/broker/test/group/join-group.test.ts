import { describe, expect, it } from 'vitest';
import { GroupFixture, protocols, SESSION_MS } from './group-fixture.ts';

describe('JoinGroup checks', () => {
  it('an empty group id is INVALID_GROUP_ID', async () => {
    const { coordinator } = new GroupFixture();
    const member = new GroupFixture().member({ groupId: '' });
    expect(await coordinator.joinGroup(member.request)).toMatchObject({
      error: 'INVALID_GROUP_ID',
      generationId: -1,
      protocolName: null,
      leader: '',
      memberId: '',
      members: [],
    });
  });

  it.each([5999, 1_800_001, -1])(
    'a session timeout of %i ms is INVALID_SESSION_TIMEOUT',
    async (ms) => {
      const fixture = new GroupFixture();
      const result = await fixture.member({ sessionTimeoutMs: ms }).join();
      expect(result.error).toBe('INVALID_SESSION_TIMEOUT');
    },
  );

  it.each([6000, 1_800_000])('a session timeout of %i ms is accepted', async (ms) => {
    const fixture = new GroupFixture();
    const joined = fixture.member({ sessionTimeoutMs: ms }).join();
    await fixture.settle();
    expect((await joined).error).toBe('NONE');
  });

  it('a member id in an unknown group is UNKNOWN_MEMBER_ID and makes no group', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member();
    member.memberId = 'client-was-here-before';
    expect(await member.joinOnce()).toMatchObject({
      error: 'UNKNOWN_MEMBER_ID',
      memberId: 'client-was-here-before',
    });
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('an unknown member id in a known group is UNKNOWN_MEMBER_ID', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    const stranger = fixture.member();
    stranger.memberId = 'client-stranger';
    expect((await stranger.joinOnce()).error).toBe('UNKNOWN_MEMBER_ID');
  });

  it.each([
    ['no protocol', { protocols: [] }],
    ['no protocol type', { protocolType: '' }],
    ['another protocol type', { protocolType: 'connect' }],
    ['no protocol that the others know', { protocols: protocols('roundrobin') }],
  ])('a member with %s is INCONSISTENT_GROUP_PROTOCOL', async (_, overrides) => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    const result = await fixture.member(overrides).join();
    expect(result.error).toBe('INCONSISTENT_GROUP_PROTOCOL');
    expect(fixture.state()).toBe('Stable');
  });

  it('a first member without protocols leaves no group behind', async () => {
    const fixture = new GroupFixture();
    expect((await fixture.member({ protocols: [] }).join()).error).toBe(
      'INCONSISTENT_GROUP_PROTOCOL',
    );
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('an empty group takes members of any protocol type', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    member.leave();
    await fixture.stableGroup(1, { protocolType: 'connect', protocols: protocols('default') });
    expect(fixture.coordinator.describeGroups(['group'])[0]).toMatchObject({
      state: 'Stable',
      protocolType: 'connect',
      protocol: 'default',
    });
  });

  it('a full group is GROUP_MAX_SIZE_REACHED for newcomers, not for its members', async () => {
    const fixture = new GroupFixture({ maxGroupSize: 2 });
    const [leader, follower] = await fixture.stableGroup(2);
    expect((await fixture.member().join()).error).toBe('GROUP_MAX_SIZE_REACHED');
    const rejoined = [leader.join(), follower?.join()];
    expect((await Promise.all(rejoined)).map((result) => result?.error)).toEqual(['NONE', 'NONE']);
  });
});

describe('a new dynamic member', () => {
  it('is told its id with MEMBER_ID_REQUIRED first and joins with it', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member({ clientId: 'billing' });
    const first = await member.joinOnce();
    expect(first).toMatchObject({ error: 'MEMBER_ID_REQUIRED', generationId: -1, members: [] });
    expect(first.memberId).toMatch(
      /^billing-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const second = member.joinOnce();
    await fixture.settle();
    expect(await second).toMatchObject({
      error: 'NONE',
      memberId: first.memberId,
      generationId: 1,
    });
  });

  it('before v4 is added at once', async () => {
    const fixture = new GroupFixture();
    const joined = fixture.member({ requiresKnownMemberId: false }).joinOnce();
    await fixture.settle();
    expect((await joined).error).toBe('NONE');
  });

  it('that does not come back with its id is forgotten after its session timeout', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member();
    await member.joinOnce();
    await fixture.clock.advanceAsync(SESSION_MS);
    expect((await member.joinOnce()).error).toBe('UNKNOWN_MEMBER_ID');
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('with a pending id holds the join phase up until it comes', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    const newcomer = fixture.member();
    await newcomer.joinOnce();
    const rejoined = leader.join();
    await fixture.settle();
    expect(fixture.state()).toBe('PreparingRebalance');
    const joined = newcomer.joinOnce();
    expect((await rejoined).members).toHaveLength(2);
    expect((await joined).generationId).toBe(2);
  });

  it('with a pending id holds the join phase up no longer than its session timeout', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    await fixture.member().joinOnce();
    const rejoined = leader.join();
    await fixture.clock.advanceAsync(SESSION_MS);
    expect((await rejoined).generationId).toBe(2);
  });

  it('that is refused when it comes with its id holds nobody up', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    const newcomer = fixture.member();
    await newcomer.joinOnce();
    const rejoined = leader.join();
    newcomer.request = { ...newcomer.request, protocols: protocols('roundrobin') };
    expect((await newcomer.joinOnce()).error).toBe('INCONSISTENT_GROUP_PROTOCOL');
    expect((await rejoined).generationId).toBe(2);
  });

  it('gives ids of bounded length to clients with endless names', async () => {
    const fixture = new GroupFixture();
    const { memberId } = await fixture.member({ clientId: 'x'.repeat(30_000) }).joinOnce();
    expect(memberId.length).toBeLessThan(300);
  });
});

describe('a member that joins again', () => {
  it('in a stable group with the same metadata gets the current generation', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    expect(await follower?.joinOnce()).toMatchObject({
      error: 'NONE',
      generationId: 1,
      leader: leader.memberId,
      members: [],
    });
    expect(fixture.state()).toBe('Stable');
  });

  it('in a stable group with other metadata starts a rebalance', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    if (follower !== undefined) {
      follower.request = {
        ...follower.request,
        protocols: [{ name: 'range', metadata: Buffer.from('other') }],
      };
    }
    const rejoined = follower?.join();
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    await leader.join();
    expect((await rejoined)?.generationId).toBe(2);
  });

  it('as the leader of a stable group starts a rebalance', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    expect(follower?.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    await follower?.join();
    expect((await rejoined).generationId).toBe(2);
  });

  it('before the assignments are there with the same metadata gets the lost answer again', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member();
    const joined = leader.join();
    await fixture.settle();
    const first = await joined;
    expect(await leader.joinOnce()).toEqual(first);
    expect((await leader.sync()).error).toBe('NONE');
  });

  it('before the assignments are there with other metadata starts a rebalance', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member();
    const follower = fixture.member();
    await Promise.all([leader.join(), follower.join(), fixture.settle()]);
    const waiting = follower.sync();
    leader.request = { ...leader.request, protocols: protocols('range', 'roundrobin') };
    const rejoined = leader.join();
    expect((await waiting).error).toBe('REBALANCE_IN_PROGRESS');
    await follower.join();
    expect((await rejoined).generationId).toBe(2);
  });

  it('while an earlier join of its own is parked is answered by the later one', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const early = leader.joinOnce();
    const late = leader.joinOnce();
    expect((await early).error).toBe('REBALANCE_IN_PROGRESS');
    await follower?.join();
    expect((await late).error).toBe('NONE');
  });

  it('may change its only protocol when nobody else is in the group', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    member.request = { ...member.request, protocols: protocols('roundrobin') };
    expect(await member.join()).toMatchObject({ error: 'NONE', protocolName: 'roundrobin' });
  });
});

describe('a client that goes away while its join is parked', () => {
  it('rejects with the reason, and the member has its session timeout to come back', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const gone = new AbortController();
    const parked = leader.join({ signal: gone.signal });
    gone.abort(new Error('the client went away'));
    await expect(parked).rejects.toThrow('the client went away');
    await fixture.clock.advanceAsync(SESSION_MS - 1);
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
    const rejoined = leader.join();
    await follower?.join();
    expect((await rejoined).generationId).toBe(2);
  });

  it('is forgotten at once if it never learned its id', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const gone = new AbortController();
    const member = fixture.member({ requiresKnownMemberId: false });
    const parked = member.join({ signal: gone.signal });
    gone.abort(new Error('the client went away'));
    await expect(parked).rejects.toThrow('the client went away');
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('before its call is not joined at all', async () => {
    const fixture = new GroupFixture();
    const signal = AbortSignal.abort(new Error('already gone'));
    await expect(fixture.member().join({ signal })).rejects.toThrow('already gone');
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
  });
});

describe('bytes of a request frame', () => {
  it('are copied, so that the frame can be reused while the member waits', async () => {
    const fixture = new GroupFixture();
    const frame = Buffer.from('metadata|assignment');
    const member = fixture.member({
      protocols: [{ name: 'range', metadata: frame.subarray(0, 8) }],
    });
    const joined = member.join();
    await fixture.settle();
    await joined;
    const { coordinator } = fixture;
    const synced = coordinator.syncGroup({
      groupId: 'group',
      generationId: 1,
      memberId: member.memberId,
      assignments: [{ memberId: member.memberId, assignment: frame.subarray(9) }],
    });
    frame.fill(0);
    expect((await synced).assignment.toString()).toBe('assignment');
    expect(coordinator.describeGroups(['group'])[0]?.members[0]).toMatchObject({
      metadata: Buffer.from('metadata'),
      assignment: Buffer.from('assignment'),
    });
  });
});
