import { describe, expect, it } from 'vitest';
import type { GroupCoordinatorOptions } from '../../src/group/coordinator-options.ts';
import { GroupCoordinator } from '../../src/group/group-coordinator.ts';
import { commitError, GroupFixture, SESSION_MS, simpleCommit } from './group-fixture.ts';

const FULL = 'COORDINATOR_NOT_AVAILABLE';

describe('options', () => {
  it.each<GroupCoordinatorOptions>([
    { initialRebalanceDelayMs: -1 },
    { minSessionTimeoutMs: 0 },
    { maxSessionTimeoutMs: 1.5 },
    { maxGroupSize: 0 },
    { offsetMetadataMaxBytes: 32_768 },
    { offsetsRetentionMs: Number.NaN },
    { maxGroups: 0 },
    { minSessionTimeoutMs: 10, maxSessionTimeoutMs: 9 },
  ])('%j are refused with the name of what is wrong', (options) => {
    const name = Object.keys(options)[0] ?? '';
    expect(() => new GroupFixture(options)).toThrow(RangeError);
    expect(() => new GroupFixture(options)).toThrow(name);
  });

  it('that are undefined mean the default', () => {
    expect(new GroupFixture({ maxGroups: undefined }).coordinator).toBeInstanceOf(GroupCoordinator);
  });
});

describe('bounds', () => {
  it('on the number of groups hold for joins and simple commits, and give way when a group goes', async () => {
    const fixture = new GroupFixture({ maxGroups: 2 });
    const [member] = await fixture.stableGroup(1, { groupId: 'a' });
    await commitError(fixture, { groupId: 'b' });
    expect((await fixture.member({ groupId: 'c' }).join()).error).toBe(FULL);
    expect(await commitError(fixture, { groupId: 'c' })).toBe(FULL);
    member.leave();
    await fixture.coordinator.deleteGroups(['a']);
    expect(await commitError(fixture, { groupId: 'c' })).toBe('NONE');
  });

  it('on the number of members count those that were only given an id', async () => {
    const fixture = new GroupFixture({ maxMembers: 2 });
    await fixture.stableGroup(1, { groupId: 'a' });
    const invited = fixture.member({ groupId: 'b' });
    expect((await invited.joinOnce()).error).toBe('MEMBER_ID_REQUIRED');
    expect((await fixture.member({ groupId: 'b' }).joinOnce()).error).toBe(FULL);
    expect(
      (await fixture.member({ groupId: 'c', requiresKnownMemberId: false }).join()).error,
    ).toBe(FULL);
    const joined = invited.joinOnce();
    await fixture.settle();
    expect((await joined).error).toBe('NONE');
  });

  it('on pending ids give way when these expire', async () => {
    const fixture = new GroupFixture({ maxMembers: 100 });
    for (let i = 0; i < 100; i += 1) await fixture.member().joinOnce();
    expect((await fixture.member().joinOnce()).error).toBe(FULL);
    await fixture.clock.advanceAsync(SESSION_MS);
    expect(fixture.clock.pendingTimers).toBe(0);
    expect((await fixture.member().joinOnce()).error).toBe('MEMBER_ID_REQUIRED');
  });

  it('on what is kept of members hold for metadata, also when it grows, and for assignments', async () => {
    const fixture = new GroupFixture({ maxMemberBytes: 1000 });
    const [member] = await fixture.stableGroup(1);
    const large = [{ name: 'range', metadata: Buffer.alloc(990) }];
    expect((await fixture.member({ protocols: large }).join()).error).toBe(FULL);
    member.request = { ...member.request, protocols: large };
    expect((await member.joinOnce()).error).toBe(FULL);
    expect(member.heartbeat()).toBe('NONE');
    member.request = {
      ...member.request,
      protocols: [{ name: 'range', metadata: Buffer.alloc(800) }],
    };
    await member.join();
    const assignments = [{ memberId: member.memberId, assignment: Buffer.alloc(500) }];
    const request = {
      groupId: 'group',
      generationId: member.generationId,
      memberId: member.memberId,
    };
    expect((await fixture.coordinator.syncGroup({ ...request, assignments })).error).toBe(FULL);
  });

  it('on what is kept of members are free again when these go', async () => {
    const fixture = new GroupFixture({ maxMemberBytes: 400 });
    const large = [{ name: 'range', metadata: Buffer.alloc(200) }];
    for (let i = 0; i < 10; i += 1) {
      const [member] = await fixture.stableGroup(1, { protocols: large });
      expect(member.leave()).toBe('NONE');
    }
  });

  it('on the number of offsets hold for new ones, not for those that are there', async () => {
    const fixture = new GroupFixture({ maxOffsets: 2 });
    const commit = (indexes: readonly number[]): Promise<(string | undefined)[]> =>
      fixture.coordinator
        .commitOffsets(simpleCommit(indexes.map((index) => ({ index, offset: 1 }))))
        .then(({ topics }) => topics[0]?.partitions.map(({ error }) => error) ?? []);
    expect(await commit([0, 1, 2])).toEqual(['NONE', 'NONE', FULL]);
    expect(await commit([0, 3])).toEqual(['NONE', FULL]);
    const topics = [{ name: 'topic', partitions: [0] }];
    await fixture.coordinator.deleteOffsets({ groupId: 'group', topics });
    expect(await commit([3])).toEqual(['NONE']);
  });

  it('on metadata are in bytes, not characters', async () => {
    const fixture = new GroupFixture({ offsetMetadataMaxBytes: 4 });
    const error = async (metadata: string): Promise<string | undefined> => {
      const result = await fixture.coordinator.commitOffsets(
        simpleCommit([{ index: 0, offset: 1, metadata }]),
      );
      return result.topics[0]?.partitions[0]?.error;
    };
    expect(await error('éé')).toBe('NONE');
    expect(await error('ééx')).toBe('OFFSET_METADATA_TOO_LARGE');
  });
});
