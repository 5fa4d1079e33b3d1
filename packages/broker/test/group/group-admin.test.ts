import { describe, expect, it } from 'vitest';
import { GroupFixture, protocols } from './group-fixture.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

describe('DescribeGroups', () => {
  it('shows an unknown group as Dead, from v6 on as GROUP_ID_NOT_FOUND', () => {
    const { coordinator } = new GroupFixture();
    const dead = { groupId: 'x', state: 'Dead', protocolType: '', protocol: '', members: [] };
    expect(coordinator.describeGroups(['x'])).toEqual([{ error: 'NONE', ...dead }]);
    expect(coordinator.describeGroups(['x'], { unknownGroupIsError: true })).toEqual([
      { error: 'GROUP_ID_NOT_FOUND', ...dead },
    ]);
  });

  it('shows protocol, metadata and assignments of a stable group', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1, {
      groupInstanceId: 'instance',
      clientHost: '/1.2.3.4',
    });
    expect(fixture.coordinator.describeGroups(['group'])).toEqual([
      {
        error: 'NONE',
        groupId: 'group',
        state: 'Stable',
        protocolType: 'consumer',
        protocol: 'range',
        members: [
          {
            memberId: member.memberId,
            groupInstanceId: 'instance',
            clientId: 'client',
            clientHost: '/1.2.3.4',
            metadata: protocols('range')[0]?.metadata,
            assignment: Buffer.from(`for ${member.memberId}`),
          },
        ],
      },
    ]);
  });

  it('shows members without metadata and assignments while they rebalance', async () => {
    const fixture = new GroupFixture();
    const [leader, follower] = await fixture.stableGroup(2);
    const rejoined = leader.join();
    const [described] = fixture.coordinator.describeGroups(['group']);
    expect(described).toMatchObject({
      state: 'PreparingRebalance',
      protocolType: 'consumer',
      protocol: '',
    });
    expect(
      described?.members.map(({ metadata, assignment }) => metadata.length + assignment.length),
    ).toEqual([0, 0]);
    await follower?.join();
    await rejoined;
    expect(fixture.state()).toBe('CompletingRebalance');
  });
});

describe('ListGroups', () => {
  it('filters by state and type without regard to case', async () => {
    const fixture = new GroupFixture();
    await fixture.stableGroup(1);
    const [gone] = await fixture.stableGroup(1, { groupId: 'gone' });
    gone.leave();
    const ids = (request: Parameters<typeof fixture.coordinator.listGroups>[0]): string[] =>
      fixture.coordinator.listGroups(request).groups.map(({ groupId }) => groupId);
    expect(ids({})).toEqual(['group', 'gone']);
    expect(ids({ states: [], types: [] })).toEqual(['group', 'gone']);
    expect(ids({ states: ['empty', 'Dead'] })).toEqual(['gone']);
    expect(ids({ types: ['CLASSIC'] })).toEqual(['group', 'gone']);
    expect(ids({ types: ['consumer'] })).toEqual([]);
  });
});

describe('DeleteGroups', () => {
  it('deletes groups without members, with everything they committed', async () => {
    const fixture = new GroupFixture();
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    member.leave();
    await fixture.stableGroup(1, { groupId: 'busy' });
    expect(await fixture.coordinator.deleteGroups(['group', 'busy', 'unknown'])).toEqual([
      { groupId: 'group', error: 'NONE' },
      { groupId: 'busy', error: 'NON_EMPTY_GROUP' },
      { groupId: 'unknown', error: 'GROUP_ID_NOT_FOUND' },
    ]);
    expect(await member.committed()).toBe(-1);
    expect(fixture.state()).toBe('Dead');
  });

  it('that the log refuses is COORDINATOR_NOT_AVAILABLE and changes nothing', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    member.leave();
    log.failure = new Error('disk full');
    expect(await fixture.coordinator.deleteGroups(['group'])).toEqual([
      { groupId: 'group', error: 'COORDINATOR_NOT_AVAILABLE' },
    ]);
    expect(await member.committed()).toBe(1);
    expect(fixture.state()).toBe('Empty');
  });

  it('leaves a member alone that joined while the log was slow', async () => {
    const log = new MemoryOffsetLog();
    const fixture = new GroupFixture({}, { offsetLog: log });
    await fixture.coordinator.load([]);
    const [member] = await fixture.stableGroup(1);
    await member.commit(1);
    member.leave();
    await fixture.settle();
    log.isHeld = true;
    const deleted = fixture.coordinator.deleteGroups(['group']);
    const newcomer = fixture.member();
    const joined = newcomer.join();
    await fixture.settle();
    log.isHeld = false;
    log.release();
    expect((await deleted)[0]?.error).toBe('NONE');
    expect((await joined).error).toBe('NONE');
    expect((await newcomer.sync()).error).toBe('NONE');
    expect(await newcomer.committed()).toBe(-1);
  });
});
