import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { randomBelow, seededRandom, systemClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { SharedBufferPool } from '../../src/shared/index.ts';
import { always, BUSY, LockGate } from '../../src/shared/lock-gate.ts';
import { SharedLayout } from '../../src/shared/shared-layout.ts';
import { SLOT_STATE, TicketQueue } from '../../src/shared/ticket-queue.ts';
import type { PoolWorkerTask } from './pool-worker.ts';

const FLAGS = ['--conditions=@logloft/source', '--experimental-strip-types', '--no-warnings'];
const PAGE_BYTES = 1024;
const PAGES = 16;

function makePool() {
  return SharedBufferPool.create(
    { totalBytes: PAGES * PAGE_BYTES, poolableBytes: PAGE_BYTES },
    { clock: systemClock },
  );
}

function start(pool: SharedBufferPool, task: Omit<PoolWorkerTask, 'seat'>) {
  const seat = pool.seat();
  const worker = new Worker(new URL('./pool-worker.ts', import.meta.url), {
    workerData: { ...task, seat } satisfies PoolWorkerTask,
    execArgv: FLAGS,
  });
  const failures: unknown[] = [];
  worker.on('error', (error) => failures.push(error));
  return { worker, seat, failures, exited: once(worker, 'exit') };
}

/** Looks at the sum while the workers are at it. */
async function watchSum(pool: SharedBufferPool, until: Promise<unknown>): Promise<number> {
  let looks = 0;
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { availableBytes, grantedBytes, totalBytes } = pool.stats();
    expect(availableBytes + grantedBytes).toBe(totalBytes);
    looks += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await over;
  return looks;
}

/** Looks at the queue from inside the lock. Returns how often it saw several that waited. */
async function watchTickets(pool: SharedBufferPool, until: Promise<unknown>): Promise<number> {
  const seat = pool.seat();
  const layout = SharedLayout.open(seat.memory);
  const queue = new TicketQueue(layout);
  const gate = new LockGate(layout, seat.ownerId);
  const look = () => {
    const waiting = queue.usedSlots().filter((slot) => queue.stateOf(slot) === SLOT_STATE.waiting);
    const tickets = waiting.map((slot) => layout.tickets[slot] ?? 0).sort((a, b) => a - b);
    return { tickets, next: layout.nextTicket[0] ?? 0 };
  };
  let crowds = 0;
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const seen = await gate.inside(look, always);
    if (seen === BUSY) continue;
    const { tickets, next } = seen;
    // Nobody withdraws here, so all tickets from the oldest that waits to the last given must wait.
    const expected = tickets.map((_, at) => next - tickets.length + at);
    if (String(tickets) !== String(expected)) expect(tickets).toEqual(expected);
    if (tickets.length > 1) crowds += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await over;
  return crowds;
}

test('workers that await and workers that sleep draw from one bound: no byte is lost, and none has two owners', async () => {
  const pool = makePool();
  const progress = new SharedArrayBuffer(16);
  const operations = 5000;
  const runs = [0, 1, 2, 3].map((index) =>
    start(pool, {
      seed: 100 + index,
      operations,
      maxBytes: 8 * PAGE_BYTES,
      sleeps: index % 2 === 1,
      parallel: 5,
      progress,
      index,
    }),
  );
  const looks = await watchSum(pool, Promise.all(runs.map(({ exited }) => exited)));
  for (const { failures } of runs) expect(failures).toEqual([]);
  for (const count of new Int32Array(progress)) expect(count).toBeGreaterThanOrEqual(operations);
  expect(looks).toBeGreaterThan(10);
  expect(pool.stats()).toMatchObject({
    availableBytes: PAGES * PAGE_BYTES,
    largestFreeBytes: PAGES * PAGE_BYTES,
    waiters: 0,
    holders: [],
  });
  await pool.close();
}, 60_000);

test('while workers crowd, nobody is served before one who came earlier: the tickets that wait have no gap', async () => {
  const pool = makePool();
  const progress = new SharedArrayBuffer(16);
  const operations = 1500;
  const runs = [0, 1, 2, 3].map((index) =>
    start(pool, {
      seed: 200 + index,
      operations,
      // Large and small side by side: an unfair pool would leave the large ones behind.
      maxBytes: index % 2 === 0 ? PAGES * PAGE_BYTES : PAGE_BYTES,
      sleeps: false,
      parallel: 6,
      progress,
      index,
    }),
  );
  const crowd = await watchTickets(pool, Promise.all(runs.map(({ exited }) => exited)));
  for (const { failures } of runs) expect(failures).toEqual([]);
  for (const count of new Int32Array(progress)) expect(count).toBeGreaterThanOrEqual(operations);
  expect(crowd).toBeGreaterThan(10);
}, 60_000);

test('workers that are terminated at any moment lose nothing once they are reclaimed, and hold nobody up', async () => {
  const pool = makePool();
  const seed = 300;
  const random = seededRandom(seed);
  const progress = new SharedArrayBuffer(8);
  const common = { operations: 1_000_000, maxBytes: 6 * PAGE_BYTES, progress };
  const survivor = start(pool, {
    ...common,
    seed,
    operations: 20_000,
    sleeps: false,
    parallel: 3,
    index: 0,
  });
  for (let round = 0; round < 12; round += 1) {
    const victim = start(pool, {
      ...common,
      seed: seed + round,
      sleeps: round % 2 === 0,
      parallel: 3,
      index: 1,
    });
    const before = Atomics.load(new Int32Array(progress), 1);
    while (Atomics.load(new Int32Array(progress), 1) < before + 20) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, randomBelow(random, 10)));
    await victim.worker.terminate();
    await pool.reclaim(victim.seat.ownerId);
    const { availableBytes, grantedBytes, holders, totalBytes } = pool.stats();
    expect(availableBytes + grantedBytes, `seed ${seed}, round ${round}`).toBe(totalBytes);
    expect(holders.map(({ ownerId }) => ownerId)).not.toContain(victim.seat.ownerId);
  }
  await survivor.exited;
  expect(survivor.failures).toEqual([]);
  expect(pool.stats()).toMatchObject({ availableBytes: PAGES * PAGE_BYTES, waiters: 0 });
}, 60_000);

test('a worker with nothing else to do stays alive while it waits for memory', async () => {
  const pool = makePool();
  const held = await pool.allocate(PAGES * PAGE_BYTES);
  const run = start(pool, {
    seed: 1,
    operations: 1,
    maxBytes: PAGE_BYTES,
    sleeps: false,
    parallel: 1,
    progress: new SharedArrayBuffer(4),
    index: 0,
  });
  while (pool.waiters === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  // Longer than an event loop with nothing in it would live.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(pool.waiters).toBe(1);
  const done = once(run.worker, 'message');
  pool.deallocate(held);
  expect(await done).toEqual(['done']);
  expect(await run.exited).toEqual([0]);
  expect(pool.stats().availableBytes).toBe(PAGES * PAGE_BYTES);
});

test('the example of the README runs', async () => {
  const program = fileURLToPath(new URL('./example/main.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, program]);
  expect(stdout).toBe('a worker has left 0 bytes behind\n'.repeat(4));
});
