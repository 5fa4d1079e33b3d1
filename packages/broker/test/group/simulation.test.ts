import { describe, expect, it } from 'vitest';
import { GroupSimulation, type Happenings } from './group-simulation.ts';

const STEPS = 1500;
const SEEDS = 60;

// To replay a failure: GROUP_SIMULATION_SEED=<seed of the message> and this file.
const given = process.env['GROUP_SIMULATION_SEED'];
const seeds =
  given === undefined ? Array.from({ length: SEEDS }, (_, i) => i + 1) : [Number(given)];

async function simulate(seed: number): Promise<GroupSimulation> {
  const simulation = new GroupSimulation(seed);
  try {
    await simulation.run(STEPS);
  } catch (cause) {
    throw new Error(`simulation failed with GROUP_SIMULATION_SEED=${seed}: ${cause}`, { cause });
  }
  return simulation;
}

describe('whatever clients, log and machine do', () => {
  const total: Happenings = new Map();

  it.each(seeds)(
    'one assignment a generation, no step back, everything answered (seed %i)',
    async (seed) => {
      const { happenings } = await simulate(seed);
      for (const [what, count] of happenings) total.set(what, (total.get(what) ?? 0) + count);
    },
  );

  it.skipIf(given !== undefined)('everything that can happen has happened', () => {
    const expected = [
      'join NONE',
      'join MEMBER_ID_REQUIRED',
      'join UNKNOWN_MEMBER_ID',
      'join FENCED_INSTANCE_ID',
      'join COORDINATOR_NOT_AVAILABLE',
      'sync NONE',
      'sync REBALANCE_IN_PROGRESS',
      'sync ILLEGAL_GENERATION',
      'sync UNKNOWN_MEMBER_ID',
      'sync FENCED_INSTANCE_ID',
      'sync COORDINATOR_NOT_AVAILABLE',
      'heartbeat NONE',
      'heartbeat REBALANCE_IN_PROGRESS',
      'heartbeat ILLEGAL_GENERATION',
      'commit NONE',
      'commit ILLEGAL_GENERATION',
      'commit REBALANCE_IN_PROGRESS',
      'commit COORDINATOR_NOT_AVAILABLE',
      'fetch NONE',
      'leave NONE',
      'delete group NONE',
      'delete group NON_EMPTY_GROUP',
      'delete offset NONE',
      'gave up',
      'disconnect',
      'crash',
      'rewrite',
    ];
    expect(expected.filter((what) => !total.has(what))).toEqual([]);
  });
});

it('the same seed tells the same story', async () => {
  const [first, second] = [await simulate(7), await simulate(7)];
  expect(first.happenings).toEqual(second.happenings);
  expect(first.nextRandom()).toBe(second.nextRandom());
});
