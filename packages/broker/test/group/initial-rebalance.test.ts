import { describe, expect, it } from 'vitest';
import { GroupFixture, SESSION_MS } from './group-fixture.ts';

const V3 = { requiresKnownMemberId: false };

describe('the first rebalance of a group', () => {
  it('without a delay gathers those who join in the same turn', async () => {
    const fixture = new GroupFixture();
    const joins = [1, 2, 3].map(() => fixture.member(V3).join());
    await fixture.settle();
    const results = await Promise.all(joins);
    expect(results.map(({ generationId }) => generationId)).toEqual([1, 1, 1]);
    expect(results[0]?.members).toHaveLength(3);
  });

  it('waits for the delay, once more for each newcomer, and then ends', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const first = fixture.member(V3).join();
    await fixture.clock.advanceAsync(2000);
    const second = fixture.member(V3).join();
    await fixture.clock.advanceAsync(1000 + 2999);
    expect(fixture.state()).toBe('PreparingRebalance');
    await fixture.clock.advanceAsync(1);
    expect((await first).members).toHaveLength(2);
    expect((await second).generationId).toBe(1);
  });

  it('is extended to the rebalance timeout in total at most', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const timing = { ...V3, rebalanceTimeoutMs: 10_000 };
    const joins = [fixture.member(timing).join()];
    for (let ms = 0; ms < 10_000; ms += 2000) {
      await fixture.clock.advanceAsync(2000);
      if (ms < 8000) joins.push(fixture.member(timing).join());
    }
    const results = await Promise.all(joins);
    expect(results.map(({ generationId }) => generationId)).toEqual(Array(5).fill(1));
  });

  it('is no longer than the rebalance timeout even if the delay is', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const joined = fixture.member({ ...V3, rebalanceTimeoutMs: 100 }).join();
    await fixture.clock.advanceAsync(100);
    expect((await joined).error).toBe('NONE');
  });

  it('leaves nothing behind when everybody goes away in it', async () => {
    const fixture = new GroupFixture({ initialRebalanceDelayMs: 3000 });
    const member = fixture.member();
    await member.joinOnce();
    const parked = member.joinOnce();
    expect(member.leave()).toBe('NONE');
    expect((await parked).error).toBe('UNKNOWN_MEMBER_ID');
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });
});

describe('the very first join of a member', () => {
  it('that waits longer than five minutes is given up, since the client may have too', async () => {
    const fixture = new GroupFixture();
    const timing = { rebalanceTimeoutMs: 1_000_000, sessionTimeoutMs: 400_000 };
    const [leader] = await fixture.stableGroup(1, timing);
    const newcomer = fixture.member(timing).join();
    await fixture.settle();
    for (let ms = 0; ms < 300_000; ms += SESSION_MS) {
      expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
      await fixture.clock.advanceAsync(SESSION_MS);
    }
    expect((await newcomer).error).toBe('UNKNOWN_MEMBER_ID');
    expect((await leader.join()).members).toHaveLength(1);
  });

  it('is parked for longer than its session timeout if need be', async () => {
    const fixture = new GroupFixture();
    const [leader] = await fixture.stableGroup(1);
    const newcomer = fixture.member().join();
    await fixture.settle();
    for (let ms = 0; ms < 5 * SESSION_MS; ms += 5000) {
      leader.heartbeat();
      await fixture.clock.advanceAsync(5000);
    }
    await leader.join();
    expect((await newcomer).error).toBe('NONE');
  });

  it('that waited long is followed by ones that may wait for the whole rebalance timeout', async () => {
    const fixture = new GroupFixture();
    const timing = { rebalanceTimeoutMs: 1_000_000, sessionTimeoutMs: 500_000 };
    const [leader, follower] = await fixture.stableGroup(2, timing);
    const rejoined = leader.join();
    await fixture.clock.advanceAsync(400_000);
    follower?.heartbeat();
    await fixture.clock.advanceAsync(400_000);
    await follower?.join();
    expect((await rejoined).error).toBe('NONE');
  });
});
