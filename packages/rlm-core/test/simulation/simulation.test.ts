import { describe, expect, it } from 'vitest';
import { catalogueOf, checkInvariants } from './invariants.ts';
import { World } from './world.ts';

// To replay a failure, put the seed that it printed here, and nothing else.
const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);
const STEPS = 150;

async function run(seed: number): Promise<World> {
  const world = new World(seed);
  const steps: string[] = [];
  try {
    await world.start();
    for (let step = 0; step < STEPS; step += 1) {
      steps.push(await world.step());
      checkInvariants(world);
    }
    steps.push('heal');
    await world.heal();
    checkInvariants(world);
  } catch (error) {
    const { log } = world;
    const where = `log ${log.logStartOffset}/${log.localLogStartOffset}/${log.logEndOffset}`;
    throw new Error(`seed ${seed}, ${where}, after: ${steps.join(', ')}`, { cause: error });
  }
  return world;
}

describe('a broker whose store, process and users do what they like', () => {
  it.each(SEEDS)(
    'keeps every offset readable and every object accounted for (seed %i)',
    async (seed) => {
      const world = await run(seed);
      const { log, manager, store, clock } = world;
      expect(manager.status(log.topicIdPartition).copyLag).toEqual({ bytes: 0, segments: 0 });
      const states = new Set(
        catalogueOf(world)
          .list()
          .map((segment) => segment.state),
      );
      expect([...states].filter((state) => state !== 'COPY_SEGMENT_FINISHED')).toEqual([]);
      expect(store.segments.size).toBe(catalogueOf(world).size);
      const closed = manager.close();
      await clock.advanceAsync(10_000);
      await closed;
      expect(clock.pendingTimers).toBe(0);
      expect(log.segments().every((segment) => segment.leases === 0)).toBe(true);
    },
  );

  it('sees what it is there to see', async () => {
    let remoteReads = 0;
    let crashes = 0;
    for (const seed of SEEDS.slice(0, 5)) {
      const world = await run(seed);
      remoteReads += world.remoteReads;
      crashes += world.crashes;
    }
    expect(remoteReads).toBeGreaterThan(30);
    expect(crashes).toBeGreaterThan(20);
  });
});
