import { describe, expect, it } from 'vitest';
import { GroupFixture, protocols, REBALANCE_MS, SESSION_MS } from './group-fixture.ts';

describe('the end of the join phase', () => {
  it('raises the generation, names one leader, and shows the members to it alone', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    expect(leader.lastJoin).toMatchObject({
      error: 'NONE',
      generationId: 1,
      protocolType: 'consumer',
      protocolName: 'range',
      leader: leader.memberId,
      skipAssignment: false,
    });
    expect(leader.lastJoin?.members.map(({ memberId }) => memberId)).toEqual([
      leader.memberId,
      follower?.memberId,
    ]);
    expect(leader.lastJoin?.members[0]?.metadata).toEqual(protocols('range')[0]?.metadata);
    expect(follower?.lastJoin).toMatchObject({
      generationId: 1,
      leader: leader.memberId,
      members: [],
    });
  });

  it('drops dynamic members that did not rejoin within the largest rebalance timeout', async () => {
    const fixture = new GroupFixture();
    const [leader, silent] = await fixture.stableGroup(2, { sessionTimeoutMs: 100_000 });
    const rejoined = leader.join();
    await fixture.clock.advanceAsync(REBALANCE_MS - 1);
    expect(fixture.state()).toBe('PreparingRebalance');
    await fixture.clock.advanceAsync(1);
    expect((await rejoined).members.map(({ memberId }) => memberId)).toEqual([leader.memberId]);
    expect(silent?.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });

  it('keeps the leader if it rejoined', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const newcomer = fixture.member().join();
    await fixture.settle();
    const joins = [newcomer, follower?.join(), leader.join()];
    expect((await Promise.all(joins)).map((result) => result?.leader)).toEqual(
      Array(3).fill(leader.memberId),
    );
  });

  it('keeps a leader that rejoined before the member that led before it', async () => {
    const fixture = new GroupFixture();
    const first = fixture.member({ groupInstanceId: 'instance', sessionTimeoutMs: 1_000_000 });
    const second = fixture.member({ sessionTimeoutMs: 1_000_000 });
    await Promise.all([first.join(), second.join(), fixture.settle()]);
    await Promise.all([first.sync(), second.sync()]);
    second.request = { ...second.request, protocols: protocols('range', 'sticky') };
    const alone = second.join();
    await fixture.clock.advanceAsync(REBALANCE_MS);
    expect((await alone).leader).toBe(second.memberId);
    await second.sync();
    const joins = [second.join(), first.join()];
    expect((await Promise.all(joins)).map(({ leader }) => leader)).toEqual(
      Array(2).fill(second.memberId),
    );
  });

  it('makes the first member that joined the leader when the old one is gone', async () => {
    const fixture = new GroupFixture();
    const [leader, second, third] = await fixture.stableGroup(3);
    leader.leave();
    const joins = await Promise.all([third?.join(), second?.join()]);
    expect(new Set(joins.map((result) => result?.leader))).toEqual(new Set([second?.memberId]));
  });

  it('without a rebalance timeout, as in v0, waits for the session timeout', async () => {
    const fixture = new GroupFixture();
    const [leader, silent] = await fixture.stableGroup(2, { rebalanceTimeoutMs: undefined });
    const rejoined = leader.join();
    // The silent member's session ends at the same time as the join phase.
    silent?.heartbeat();
    await fixture.clock.advanceAsync(SESSION_MS);
    expect((await rejoined).members).toHaveLength(1);
  });

  it('chooses the protocol that most members prefer of those that all support', async () => {
    const fixture = new GroupFixture();
    const members = [
      fixture.member({ protocols: protocols('sticky', 'range', 'roundrobin') }),
      fixture.member({ protocols: protocols('roundrobin', 'range') }),
      fixture.member({ protocols: protocols('range', 'roundrobin') }),
    ];
    const joined = Promise.all(members.map((member) => member.join()));
    await fixture.settle();
    expect((await joined).map(({ protocolName }) => protocolName)).toEqual([
      'range',
      'range',
      'range',
    ]);
  });
});
