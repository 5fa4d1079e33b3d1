import { heapAfterCollection } from '../harness/heap.ts';
import { canGiveUp, openPool, type PeerPool, type PoolKind } from './pool-kinds.ts';

/** Nobody waits for so long. */
const LONG_MS = 600_000;
const GIVE_UP_BATCH = 1000;
/** When somebody is not served after that many ms, nobody will. */
const PATIENCE_MS = 500;

/** What a test is told. */
export interface PoolTest {
  readonly kind: PoolKind;
  readonly count: number;
}

/** What waits that ended without a buffer leave behind. */
export interface GivenUp {
  /** Bytes of heap more than before. */
  readonly keptBytes: number;
  /** Whether one that still waits behind them gets the next buffer that is returned. */
  readonly isNextServed: boolean;
}

/** Ns for an awaited acquire and a release, while there are buffers. */
export async function freeNanos({ kind, count }: PoolTest): Promise<number> {
  const pool = openPool(kind, { size: 4 });
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i += 1) pool.release(await pool.acquire());
  return Number(process.hrtime.bigint() - start) / count;
}

/** Ns from one owner of the only buffer to the next, who waits for it. */
export async function handOffNanos({ kind, count }: PoolTest): Promise<number> {
  const pool = openPool(kind, { size: 1 });
  const passOn = async (): Promise<void> => {
    for (let i = 0; i < count / 2; i += 1) pool.release(await pool.acquire());
  };
  // Whoever releases asks again at once, and then waits for the other.
  const start = process.hrtime.bigint();
  await Promise.all([passOn(), passOn()]);
  return Number(process.hrtime.bigint() - start) / count;
}

/** Bytes of heap for each of so many who wait, with a time-out where there is such. */
export async function bytesPerWaiter({ kind, count }: PoolTest): Promise<number> {
  const { pool, held } = await exhausted(kind, LONG_MS);
  const promises: Promise<Buffer>[] = new Array(count);
  const before = await heapAfterCollection();
  for (let i = 0; i < count; i += 1) promises[i] = pool.acquire();
  const after = await heapAfterCollection();
  pool.release(held);
  for (const promise of promises) pool.release(await promise);
  return (after - before) / count;
}

/** Whether those who wait get on in the order in which they came, newcomers behind them. */
export async function keepsOrder({ kind, count }: PoolTest): Promise<boolean> {
  const { pool, held } = await exhausted(kind, LONG_MS);
  const served: number[] = [];
  let arrivals = 0;
  const wait = async (): Promise<void> => {
    const number = arrivals++;
    const buffer = await pool.acquire();
    served.push(number);
    pool.release(buffer);
    // A newcomer, in the very turn in which a buffer comes back.
    if (number < count && number % 3 === 0) all.push(wait());
  };
  const all: Promise<void>[] = [];
  for (let i = 0; i < count; i += 1) all.push(wait());
  pool.release(held);
  for (const promise of all) await promise;
  return served.length > count && served.every((number, index) => number === index);
}

/** Has so many wait until their time is up, and looks at what stays; `undefined` where that cannot be. */
export async function giveUp({ kind, count }: PoolTest): Promise<GivenUp | undefined> {
  if (!canGiveUp(kind)) return undefined;
  const { pool, held } = await exhausted(kind, 1);
  await timeOut(pool, GIVE_UP_BATCH);
  const before = await heapAfterCollection();
  for (let done = 0; done < count; done += GIVE_UP_BATCH) await timeOut(pool, GIVE_UP_BATCH);
  const keptBytes = (await heapAfterCollection()) - before;
  return { keptBytes, isNextServed: await servesNext(pool, held) };
}

async function exhausted(
  kind: PoolKind,
  timeoutMs: number,
): Promise<{ readonly pool: PeerPool; readonly held: Buffer }> {
  const pool = openPool(kind, { size: 1, timeoutMs });
  return { pool, held: await pool.acquire() };
}

async function timeOut(pool: PeerPool, count: number): Promise<void> {
  const waits = Array.from({ length: count }, () => pool.acquire());
  const results = await Promise.allSettled(waits);
  const served = results.filter(({ status }) => status === 'fulfilled').length;
  if (served > 0) throw new Error(`${served} waits were served by a pool with nothing to give`);
}

/** Time-outs of 1 ms leave one turn of the event loop to be served in, which is enough. */
async function servesNext(pool: PeerPool, held: Buffer): Promise<boolean> {
  const next = pool.acquire().then(
    () => true,
    () => false,
  );
  try {
    pool.release(held);
  } catch {
    // A release that fails serves nobody.
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  const isServed = await Promise.race([next, late]);
  clearTimeout(timer);
  return isServed;
}
