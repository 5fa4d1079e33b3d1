import { describe, expect, it } from 'vitest';
import type { SyncGroupRequest } from '../../src/group/membership-requests.ts';
import {
  GroupFixture,
  REBALANCE_MS,
  SESSION_MS,
  syncAll,
  type TestMember,
} from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

/** Two members that have their join answers and no assignment yet. */
async function joinedPair(fixture: GroupFixture): Promise<[TestMember, TestMember]> {
  const leader = fixture.member();
  const follower = fixture.member();
  await Promise.all([leader.join(), follower.join(), fixture.settle()]);
  return [leader, follower];
}

function syncRequest(
  member: TestMember,
  overrides: Partial<SyncGroupRequest> = {},
): SyncGroupRequest {
  return {
    groupId: 'group',
    generationId: member.generationId,
    memberId: member.memberId,
    assignments: [],
    ...overrides,
  };
}

describe('SyncGroup checks', () => {
  it.each<[string, Partial<SyncGroupRequest>]>([
    ['INVALID_GROUP_ID', { groupId: '' }],
    ['UNKNOWN_MEMBER_ID', { groupId: 'no such group' }],
    ['UNKNOWN_MEMBER_ID', { memberId: 'nobody' }],
    ['ILLEGAL_GENERATION', { generationId: 2 }],
    ['INCONSISTENT_GROUP_PROTOCOL', { protocolType: 'connect' }],
    ['INCONSISTENT_GROUP_PROTOCOL', { protocolName: 'roundrobin' }],
    ['INCONSISTENT_GROUP_PROTOCOL', { requiresProtocol: true, protocolName: 'range' }],
    ['UNKNOWN_MEMBER_ID', { groupInstanceId: 'no such instance' }],
  ])('answer %s to %j', async (error, overrides) => {
    const fixture = new GroupFixture();
    const [leader] = await joinedPair(fixture);
    expect(await fixture.coordinator.syncGroup(syncRequest(leader, overrides))).toEqual({
      error,
      protocolType: null,
      protocolName: null,
      assignment: Buffer.alloc(0),
    });
  });

  it('answer REBALANCE_IN_PROGRESS during the join phase', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    expect((await follower?.sync())?.error).toBe('REBALANCE_IN_PROGRESS');
    await follower?.join();
    await rejoined;
  });
});

describe('assignments', () => {
  it('reach followers that asked before the leader and those that ask after it', async () => {
    const fixture = new GroupFixture();
    const leader = fixture.member();
    const early = fixture.member();
    const late = fixture.member();
    await Promise.all([leader.join(), early.join(), late.join(), fixture.settle()]);
    const waiting = early.sync();
    await fixture.settle();
    expect(fixture.state()).toBe('CompletingRebalance');
    expect((await leader.sync()).assignment.toString()).toBe(`for ${leader.memberId}`);
    expect(await waiting).toEqual({
      error: 'NONE',
      protocolType: 'consumer',
      protocolName: 'range',
      assignment: Buffer.from(`for ${early.memberId}`),
    });
    expect(fixture.state()).toBe('Stable');
    expect((await late.sync()).assignment.toString()).toBe(`for ${late.memberId}`);
  });

  it('are empty bytes for members that the leader left out', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    const waiting = follower.sync();
    await fixture.coordinator.syncGroup(syncRequest(leader));
    expect(await waiting).toMatchObject({ error: 'NONE', assignment: Buffer.alloc(0) });
    expect(follower.heartbeat()).toBe('NONE');
  });

  it('for members that are not in the group are dropped', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader] = await joinedPair(fixture);
    const assignments = [{ memberId: 'constructor', assignment: Buffer.from('x') }];
    expect((await fixture.coordinator.syncGroup(syncRequest(leader, { assignments }))).error).toBe(
      'NONE',
    );
  });

  it('of a generation are those of the first request of its leader', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader, follower] = await joinedPair(fixture);
    log.isHeld = true;
    const first = leader.sync();
    const second = fixture.coordinator.syncGroup(
      syncRequest(leader, {
        assignments: [{ memberId: follower.memberId, assignment: Buffer.from('other') }],
      }),
    );
    expect((await first).error).toBe('REBALANCE_IN_PROGRESS');
    expect(log.heldAppends).toBe(1);
    log.release();
    expect((await second).assignment.toString()).toBe(`for ${leader.memberId}`);
    expect((await follower.sync()).assignment.toString()).toBe(`for ${follower.memberId}`);
  });

  it('are answered only when the log has them', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader] = await joinedPair(fixture);
    log.isHeld = true;
    let isAnswered = false;
    const synced = leader.sync().then((result) => {
      isAnswered = true;
      return result;
    });
    await fixture.clock.advanceAsync(1000);
    expect(isAnswered).toBe(false);
    expect(fixture.state()).toBe('CompletingRebalance');
    log.release();
    expect((await synced).error).toBe('NONE');
  });

  it('that the log refuses are COORDINATOR_NOT_AVAILABLE for all and start a rebalance', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader, follower] = await joinedPair(fixture);
    log.failure = new Error('disk full');
    const syncs = await syncAll([follower, leader]);
    expect(syncs.map(({ error }) => error)).toEqual(Array(2).fill('COORDINATOR_NOT_AVAILABLE'));
    expect(fixture.state()).toBe('PreparingRebalance');
    log.failure = undefined;
    await Promise.all([leader.join(), follower.join()]);
    expect((await syncAll([leader, follower])).map(({ error }) => error)).toEqual(['NONE', 'NONE']);
  });

  it("that reach the log after the next rebalance began are nobody's", async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader, follower] = await joinedPair(fixture);
    log.isHeld = true;
    const synced = leader.sync();
    follower.leave();
    expect((await synced).error).toBe('REBALANCE_IN_PROGRESS');
    const rejoined = leader.join();
    log.release();
    await fixture.settle();
    expect((await rejoined).generationId).toBe(2);
    expect(fixture.state()).toBe('CompletingRebalance');
    log.isHeld = false;
    expect((await leader.sync()).error).toBe('NONE');
  });
});

describe('the sync phase', () => {
  it('ends with the rebalance timeout for a leader that sends no assignments', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    const waiting = follower.sync();
    for (let ms = 0; ms < REBALANCE_MS; ms += 5000) {
      expect(leader.heartbeat()).toBe('NONE');
      await fixture.clock.advanceAsync(5000);
    }
    expect((await waiting).error).toBe('REBALANCE_IN_PROGRESS');
    expect(leader.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
    const rejoined = await follower.join();
    expect(rejoined).toMatchObject({ generationId: 2, leader: follower.memberId });
  });

  it('removes a follower that never asked although the group is stable', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    await leader.sync();
    for (let ms = 0; ms < REBALANCE_MS; ms += 5000) {
      leader.heartbeat();
      follower.heartbeat();
      await fixture.clock.advanceAsync(5000);
    }
    expect(follower.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
    expect(leader.heartbeat()).toBe('REBALANCE_IN_PROGRESS');
  });

  it('leaves only sessions and the retention check behind when everybody has asked', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(3);
    expect(fixture.clock.pendingTimers).toBe(4);
  });

  it('a client that goes away in it has its session timeout to come back', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    const gone = new AbortController();
    const waiting = follower.sync({ signal: gone.signal });
    gone.abort(new Error('the client went away'));
    await expect(waiting).rejects.toThrow('the client went away');
    await leader.sync();
    expect((await follower.sync()).assignment.toString()).toBe(`for ${follower.memberId}`);
    await fixture.clock.advanceAsync(SESSION_MS);
    expect(fixture.state()).toBe('Empty');
  });

  it('a parked sync counts as alive longer than a session', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    const waiting = follower.sync();
    for (let ms = 0; ms < 3 * SESSION_MS; ms += 5000) {
      leader.heartbeat();
      await fixture.clock.advanceAsync(5000);
    }
    await leader.sync();
    expect((await waiting).error).toBe('NONE');
  });

  it('expects a client that went away in it to ask again, although its members heartbeat', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [leader, follower] = await joinedPair(fixture);
    log.isHeld = true;
    const gone = new AbortController();
    const dropped = follower.sync({ signal: gone.signal });
    const synced = leader.sync();
    // The sync phase is over with nobody missing when the log is slow.
    await fixture.clock.advanceAsync(REBALANCE_MS);
    gone.abort(new Error('the client went away'));
    await expect(dropped).rejects.toThrow('the client went away');
    log.isHeld = false;
    log.release();
    expect((await synced).error).toBe('NONE');
    for (let ms = 0; ms < REBALANCE_MS; ms += 5000) {
      expect([leader.heartbeat(), follower.heartbeat()]).toEqual(['NONE', 'NONE']);
      await fixture.clock.advanceAsync(5000);
    }
    expect(follower.heartbeat()).toBe('UNKNOWN_MEMBER_ID');
  });

  it('ends with the last member that asks after the group is stable', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await joinedPair(fixture);
    await leader.sync();
    expect(fixture.clock.pendingTimers).toBe(4);
    await follower.sync();
    expect(fixture.clock.pendingTimers).toBe(3);
  });
});
