import { describe, expect, it } from 'vitest';
import type { OffsetCommitRequest } from '../../src/group/offset-requests.ts';
import { commitError, GroupFixture, simpleCommit } from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

describe('OffsetCommit', () => {
  it('keeps offset, leader epoch and metadata as they were sent', async () => {
    const fixture = new GroupFixture();
    const partition = { index: 3, offset: 42, leaderEpoch: 7, metadata: 'instance a' };
    await fixture.coordinator.commitOffsets(simpleCommit([partition]));
    const topics = [{ name: 'topic', partitions: [3] }];
    expect(await fixture.coordinator.fetchOffsets({ groupId: 'group', topics })).toEqual({
      groupId: 'group',
      error: 'NONE',
      topics: [
        {
          name: 'topic',
          partitions: [
            { index: 3, offset: 42, leaderEpoch: 7, metadata: 'instance a', error: 'NONE' },
          ],
        },
      ],
    });
  });

  it('by nobody makes a simple group without a protocol type', async () => {
    const fixture = new GroupFixture();
    expect(await commitError(fixture)).toBe('NONE');
    expect(fixture.coordinator.listGroups().groups).toEqual([
      { groupId: 'group', protocolType: '', state: 'Empty', type: 'classic' },
    ]);
  });

  it('of a generation of an unknown group is ILLEGAL_GENERATION, from v9 on GROUP_ID_NOT_FOUND', async () => {
    const fixture = new GroupFixture();
    const member = { generationId: 1, memberId: 'member' };
    expect(await commitError(fixture, member)).toBe('ILLEGAL_GENERATION');
    expect(await commitError(fixture, { ...member, reportsUnknownGroup: true })).toBe(
      'GROUP_ID_NOT_FOUND',
    );
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
  });

  it('with the old generation during a rebalance succeeds', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    expect(await follower?.commit(9)).toBe('NONE');
    await follower?.join();
    await rejoined;
    expect(await leader.committed()).toBe(9);
  });

  it('before the assignments are there is REBALANCE_IN_PROGRESS', async () => {
    const fixture = new GroupFixture();
    const member = fixture.member();
    await Promise.all([member.join(), fixture.settle()]);
    expect(await member.commit(1)).toBe('REBALANCE_IN_PROGRESS');
  });

  it.each<[string, Partial<OffsetCommitRequest>]>([
    ['UNKNOWN_MEMBER_ID', {}],
    ['UNKNOWN_MEMBER_ID', { generationId: 1 }],
    ['UNKNOWN_MEMBER_ID', { generationId: 1, memberId: 'nobody' }],
    ['UNKNOWN_MEMBER_ID', { groupInstanceId: 'nobody' }],
  ])('into a group with members answers %s to %j', async (error, overrides) => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    expect(await commitError(fixture, overrides)).toBe(error);
  });

  it('repeats what concerns the group in every partition', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    const request = simpleCommit([
      { index: 0, offset: 1 },
      { index: 1, offset: 1 },
    ]);
    const topics = [...request.topics, { name: 'other', partitions: [{ index: 0, offset: 1 }] }];
    const result = await fixture.coordinator.commitOffsets({ ...request, topics });
    const errors = result.topics.flatMap(({ partitions }) => partitions.map(({ error }) => error));
    expect(errors).toEqual(Array(3).fill('UNKNOWN_MEMBER_ID'));
  });

  it('of a partition that does not exist is UNKNOWN_TOPIC_OR_PARTITION, the others succeed', async () => {
    const fixture = new GroupFixture(
      {},
      { hasPartition: (topic, index) => topic === 'topic' && index < 2 },
    );
    const result = await fixture.coordinator.commitOffsets(
      simpleCommit([
        { index: 1, offset: 5 },
        { index: 2, offset: 5 },
      ]),
    );
    expect(result.topics[0]?.partitions).toEqual([
      { index: 1, error: 'NONE' },
      { index: 2, error: 'UNKNOWN_TOPIC_OR_PARTITION' },
    ]);
  });

  it('is answered only when the log has it', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    log.isHeld = true;
    let isAnswered = false;
    const committed = commitError(fixture).then((error) => {
      isAnswered = true;
      return error;
    });
    await fixture.settle();
    expect(isAnswered).toBe(false);
    log.release();
    expect(await committed).toBe('NONE');
  });

  it('that the log refuses is COORDINATOR_NOT_AVAILABLE and leaves the offset before it', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [member] = await fixture.stableGroup(1);
    await member.commit(5);
    log.failure = new Error('disk full');
    expect(await member.commit(9)).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(await member.committed()).toBe(5);
  });

  it('of a simple group that the log refuses leaves no group behind', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    log.failure = new Error('disk full');
    expect(await commitError(fixture)).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });
});

describe('OffsetFetch', () => {
  it('answers -1 without an error for what was never committed', async () => {
    const fixture = new GroupFixture();
    const topics = [{ name: 'topic', partitions: [0] }];
    const nothing = { index: 0, offset: -1, leaderEpoch: -1, metadata: '', error: 'NONE' };
    expect(await fixture.coordinator.fetchOffsets({ groupId: 'unknown', topics })).toEqual({
      groupId: 'unknown',
      error: 'NONE',
      topics: [{ name: 'topic', partitions: [nothing] }],
    });
  });

  it('of everything lists all topics with commits', async () => {
    const fixture = new GroupFixture();
    await fixture.coordinator.commitOffsets({
      ...simpleCommit([]),
      topics: [
        {
          name: 'a',
          partitions: [
            { index: 1, offset: 1 },
            { index: 0, offset: 2 },
          ],
        },
        { name: 'constructor', partitions: [{ index: 0, offset: 3, metadata: null }] },
      ],
    });
    const result = await fixture.coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(
      result.topics.map(({ name, partitions }) => [name, partitions.map(({ offset }) => offset)]),
    ).toEqual([
      ['a', [1, 2]],
      ['constructor', [3]],
    ]);
  });

  it('waits for commits that were sent before it, answered or not', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [member] = await fixture.stableGroup(1);
    log.isHeld = true;
    const committed = member.commit(7);
    const fetched = member.committed();
    await fixture.settle();
    log.release();
    expect(await committed).toBe('NONE');
    expect(await fetched).toBe(7);
  });

  it('never sees a commit that the log refuses later', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [member] = await fixture.stableGroup(1);
    log.isHeld = true;
    const first = member.commit(1);
    const fetched = member.committed();
    const second = member.commit(2);
    log.release(1);
    expect([await first, await fetched]).toEqual(['NONE', 1]);
    log.refuse(new Error('disk full'));
    expect(await second).toBe('COORDINATOR_NOT_AVAILABLE');
    expect(await member.committed()).toBe(1);
  });

  it('that waits ends with the client', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    log.isHeld = true;
    const committed = commitError(fixture);
    const gone = new AbortController();
    const fetched = fixture.coordinator.fetchOffsets(
      { groupId: 'group', topics: null },
      { signal: gone.signal },
    );
    gone.abort(new Error('the client went away'));
    await expect(fetched).rejects.toThrow('the client went away');
    log.release();
    await committed;
  });
});
