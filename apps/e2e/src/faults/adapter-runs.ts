import type { ObjectStore } from '@logloft/remote-storage';
import { type FaultProxy, startFaultProxy } from '@logloft/remote-storage-testkit';
import type { Cleanup } from '../harness/cleanup.ts';
import { openBucket, type StoreServer } from '../harness/stores/store-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { CallTimes } from './call-times.ts';
import { cleanUp, DEADLINE_MS, type FaultRunResult, faultRun, segmentFor } from './fault-run.ts';

/**
 * What a call may take beyond its deadline: a machine that is busy, and for a copy that was stopped the
 * second in which the store may take away what it began, and the deletion of the objects, whose requests
 * have three attempts of a deadline each and pauses of up to a second and a half between them.
 */
const BUSY_MS = 1_000;
const GRACE_MS = 1_000;
const DELETION_MS = 3 * DEADLINE_MS + 1_500;
const BOUNDS_MS = {
  read: DEADLINE_MS + BUSY_MS,
  index: DEADLINE_MS + BUSY_MS,
  delete: DEADLINE_MS + BUSY_MS,
  copy: DEADLINE_MS + GRACE_MS + 2 * DELETION_MS + BUSY_MS,
};

/** Runs that go on at the same time against one store. */
const LANES = 3;

/** What all runs of an adapter came to. */
export interface AdapterFigures {
  readonly runs: number;
  readonly calls: number;
  readonly copied: number;
  readonly reads: number;
  readonly failedReads: number;
  readonly faults: number;
  readonly orphansBeforeCleanUp: number;
  readonly slowest: string;
}

/** How many runs there are, and from which seed. */
export interface RunPlan {
  readonly runs: number;
  readonly seed: number;
  readonly sealed: Readonly<Record<string, string>>;
}

/**
 * All runs of one adapter.
 *
 * @throws Error that names the seed of the run that showed something wrong
 */
export async function adapterRuns(
  server: StoreServer,
  plan: RunPlan,
  cleanup: Cleanup,
): Promise<AdapterFigures> {
  const times = new CallTimes(BOUNDS_MS);
  const bucket = await openBucket(server);
  cleanup.add(async () => {
    await bucket[Symbol.asyncDispose]();
  });
  const results: FaultRunResult[] = [];
  let orphansBeforeCleanUp = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    const proxy = await startFaultProxy({ target: server.url });
    cleanup.add(() => proxy.close());
    while (next < plan.runs) {
      const seed = plan.seed + next;
      next += 1;
      try {
        const { sealed } = plan;
        results.push(await faultRun({ server, proxy, seed, times, sealed }));
        orphansBeforeCleanUp += await leaveNothing({ server, proxy, bucket, seed });
      } catch (error) {
        throw new Error(`${server.flag}, seed ${seed} (--seed ${seed} --runs 1)`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await assertNothingUnfinished(server, bucket);
  const sum = (of: (result: FaultRunResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    runs: results.length,
    calls: times.count,
    copied: sum(({ copied }) => Number(copied)),
    reads: sum(({ reads }) => reads),
    failedReads: sum(({ failedReads }) => failedReads),
    faults: sum(({ faults }) => faults),
    orphansBeforeCleanUp,
    slowest: times.slowest,
  };
}

/**
 * Cleans up after a run, by a sound connection.
 *
 * @returns how many objects without a manifest there were before
 * @throws Error when an object is left after
 */
async function leaveNothing({
  server,
  proxy,
  bucket,
  seed,
}: {
  readonly server: StoreServer;
  readonly proxy: FaultProxy;
  readonly bucket: ObjectStore;
  readonly seed: number;
}): Promise<number> {
  // What is still on its way to the server would arrive after the clean-up.
  await waitUntil('requests that nobody waits for to end', () => {
    const open = proxy.log.filter(({ outcome }) => outcome === 'open');
    return open.length === 0 ? undefined : JSON.stringify(open);
  });
  const prefix = `run-${seed}/`;
  const left = await keysBelow(bucket, prefix);
  const hasManifest = left.some((key) => key.endsWith('.rsm-manifest'));
  await cleanUp({ server, seed }, segmentFor({ server, seed }).metadata);
  const after = await keysBelow(bucket, prefix);
  if (after.length > 0) throw new Error(`left after the clean-up: ${after.join(', ')}`);
  return hasManifest ? 0 : left.length;
}

async function keysBelow(bucket: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list({ prefix })) keys.push(key);
  return keys;
}

async function assertNothingUnfinished(server: StoreServer, bucket: ObjectStore): Promise<void> {
  if (bucket.removeUnfinished === undefined || server.unfinishedUploads === undefined) return;
  await bucket.removeUnfinished({ olderThanMs: 0 });
  const left = await server.unfinishedUploads();
  if (left > 0) throw new Error(`${left} uploads are left unfinished`);
}
