import { describe, expect, it } from 'vitest';
import {
  commitError,
  GroupFixture,
  protocols,
  simpleCommit,
  subscription,
} from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

const DAY_MS = 86_400_000;

describe('retention', () => {
  it('drops the offsets of an empty group a week after it became empty, and the group with them', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    for (let i = 0; i < 4; i += 1) {
      await fixture.clock.advanceAsync(5000);
      member.heartbeat();
    }
    member.leave();
    await fixture.clock.advanceAsync(7 * DAY_MS - 1);
    expect(await member.committed()).toBe(1);
    await fixture.clock.advanceAsync(600_000);
    expect(await member.committed()).toBe(-1);
    expect(fixture.coordinator.listGroups().groups).toEqual([]);
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('drops the offsets of a simple group a week after their commit', async () => {
    const fixture = new GroupFixture({
      offsetsRetentionMs: DAY_MS,
      offsetsRetentionCheckIntervalMs: 1000,
    });
    await commitError(fixture);
    await fixture.clock.advanceAsync(DAY_MS - 1000);
    await fixture.coordinator.commitOffsets(simpleCommit([{ index: 1, offset: 1 }]));
    await fixture.clock.advanceAsync(1000);
    const { topics } = await fixture.coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(topics[0]?.partitions.map(({ index }) => index)).toEqual([1]);
  });

  it('of a stable group takes only topics that nobody reads any more', async () => {
    const fixture = new GroupFixture({
      offsetsRetentionMs: 60_000,
      offsetsRetentionCheckIntervalMs: 1000,
    });
    const [member] = await fixture.stableGroup(1, { sessionTimeoutMs: 1_000_000 });
    await fixture.coordinator.commitOffsets({
      groupId: 'group',
      generationId: member.generationId,
      memberId: member.memberId,
      topics: ['topic', 'unread'].map((name) => ({ name, partitions: [{ index: 0, offset: 1 }] })),
    });
    await fixture.clock.advanceAsync(60_000);
    const { topics } = await fixture.coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(topics.map(({ name }) => name)).toEqual(['topic']);
  });

  it.each([
    ['connect', Buffer.from('worker')],
    ['consumer', Buffer.from([0])],
  ])(
    'of a stable group of type %s whose subscriptions cannot be read takes nothing',
    async (protocolType, metadata) => {
      const fixture = new GroupFixture({
        offsetsRetentionMs: 1000,
        offsetsRetentionCheckIntervalMs: 1000,
      });
      const [member] = await fixture.stableGroup(1, {
        protocolType,
        protocols: [{ name: 'range', metadata }],
      });
      await member.commit(4);
      await fixture.clock.advanceAsync(5000);
      expect(await member.committed()).toBe(4);
    },
  );

  it("that a commit brought along counts instead of the coordinator's", async () => {
    const fixture = new GroupFixture({ offsetsRetentionCheckIntervalMs: 1000 });
    await commitError(fixture, { retentionTimeMs: 5000 });
    await fixture.clock.advanceAsync(4000);
    expect(fixture.state()).toBe('Empty');
    await fixture.clock.advanceAsync(1000);
    expect(fixture.state()).toBe('Dead');
  });

  it('of almost for ever that a commit brought along outlives a restart', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    await commitError(fixture, { retentionTimeMs: Number.MAX_SAFE_INTEGER });
    const after = new GroupFixture({}, { offsetLog: log });
    expect(await after.coordinator.load([...log.records])).toEqual({ applied: 1, skipped: 0 });
  });

  it('that the log refuses is tried again at the next check', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture(
      { offsetsRetentionMs: 1000, offsetsRetentionCheckIntervalMs: 1000 },
      { offsetLog: log },
    );
    await fixture.coordinator.load([]);
    await commitError(fixture);
    log.failure = new Error('disk full');
    await fixture.clock.advanceAsync(2000);
    expect(fixture.state()).toBe('Empty');
    log.failure = undefined;
    await fixture.clock.advanceAsync(1000);
    expect(fixture.state()).toBe('Dead');
    expect(log.records.at(-1)?.value).toBeNull();
  });

  it('counts from the commit for what an administrator sets long after the members went', async () => {
    const fixture = new GroupFixture({
      offsetsRetentionMs: 10_000,
      offsetsRetentionCheckIntervalMs: 1000,
    });
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    member.leave();
    await fixture.clock.advanceAsync(9000);
    expect(await commitError(fixture)).toBe('NONE');
    await fixture.clock.advanceAsync(9000);
    expect(await member.committed()).toBe(1);
  });
});

describe('OffsetDelete', () => {
  it('of an unknown group is GROUP_ID_NOT_FOUND', async () => {
    const { coordinator } = new GroupFixture();
    expect(await coordinator.deleteOffsets({ groupId: 'unknown', topics: [] })).toEqual({
      error: 'GROUP_ID_NOT_FOUND',
      topics: [],
    });
  });

  it('of a group with members that are no consumers is NON_EMPTY_GROUP', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1, { protocolType: 'connect', protocols: protocols('default') });
    const topics = [{ name: 'topic', partitions: [0] }];
    expect((await fixture.coordinator.deleteOffsets({ groupId: 'group', topics })).error).toBe(
      'NON_EMPTY_GROUP',
    );
  });

  it('refuses topics that the group reads and deletes the others', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(2, {
      protocols: [{ name: 'range', metadata: subscription('read') }],
    });
    await fixture.coordinator.commitOffsets({
      groupId: 'group',
      generationId: 1,
      memberId: member.memberId,
      topics: ['read', 'unread'].map((name) => ({ name, partitions: [{ index: 0, offset: 1 }] })),
    });
    const topics = ['read', 'unread'].map((name) => ({ name, partitions: [0] }));
    expect(await fixture.coordinator.deleteOffsets({ groupId: 'group', topics })).toEqual({
      error: 'NONE',
      topics: [
        { name: 'read', partitions: [{ index: 0, error: 'GROUP_SUBSCRIBED_TO_TOPIC' }] },
        { name: 'unread', partitions: [{ index: 0, error: 'NONE' }] },
      ],
    });
    const left = await fixture.coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(left.topics.map(({ name }) => name)).toEqual(['read']);
  });

  it('of everything in a simple group makes the group disappear', async () => {
    const fixture = new GroupFixture();
    await commitError(fixture);
    const topics = [{ name: 'topic', partitions: [0, 1] }];
    expect(
      (await fixture.coordinator.deleteOffsets({ groupId: 'group', topics })).topics[0]?.partitions,
    ).toEqual([
      { index: 0, error: 'NONE' },
      { index: 1, error: 'NONE' },
    ]);
    expect(fixture.state()).toBe('Dead');
    expect(fixture.clock.pendingTimers).toBe(0);
  });

  it('of a partition that does not exist is UNKNOWN_TOPIC_OR_PARTITION', async () => {
    const fixture = new GroupFixture({}, { hasPartition: (_, index) => index === 0 });
    await commitError(fixture);
    const topics = [{ name: 'topic', partitions: [1] }];
    const result = await fixture.coordinator.deleteOffsets({ groupId: 'group', topics });
    expect(result.topics[0]?.partitions[0]?.error).toBe('UNKNOWN_TOPIC_OR_PARTITION');
  });
});

describe('topics that are deleted', () => {
  it('take their offsets with them in every group', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(3);
    await commitError(fixture, { groupId: 'simple' });
    await commitError(fixture, {
      groupId: 'other',
      topics: [{ name: 'kept', partitions: [{ index: 0, offset: 1 }] }],
    });
    await fixture.coordinator.onTopicsDeleted(['topic']);
    expect(await member.committed()).toBe(-1);
    expect(fixture.coordinator.listGroups().groups.map(({ groupId }) => groupId)).toEqual([
      'group',
      'other',
    ]);
  });

  it('whose offsets the log refuses to delete are reported', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    await commitError(fixture);
    log.failure = new Error('disk full');
    await expect(fixture.coordinator.onTopicsDeleted(['topic'])).rejects.toThrow(AggregateError);
    log.failure = undefined;
    await fixture.coordinator.onTopicsDeleted(['topic']);
    expect(fixture.state()).toBe('Dead');
  });
});
