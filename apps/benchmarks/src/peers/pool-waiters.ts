import { BufferPool } from '@logloft/bufferpool';
import { ManualClock } from '@logloft/clock';
import { heapAfterCollection } from '../harness/heap.ts';
import { POOLED_BYTES } from './pool-kinds.ts';

/** How those who wait for a buffer can be called off. */
export type WaiterSignals = 'none' | 'shared' | 'own';

/** What {@link holdWaiters} is told. */
export interface WaitersTest {
  readonly count: number;
  readonly signals: WaiterSignals;
  /** Simulated ms that they wait. */
  readonly heldMs: number;
}

/** Bytes of heap, each against the start. */
export interface HeldWaiters {
  /** While they wait, after the time. */
  readonly heldBytes: number;
  /** After all were called off. */
  readonly leftBytes: number;
  /** Timers that are pending while they wait. */
  readonly timers: number;
}

/** Has callers wait for a buffer on simulated time, each with a deadline of its own. */
export async function holdWaiters({ count, signals, heldMs }: WaitersTest): Promise<HeldWaiters> {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: POOLED_BYTES, poolableBytes: POOLED_BYTES }, { clock });
  const held = await pool.allocate(POOLED_BYTES);
  const shared = new AbortController();
  const own =
    signals === 'own' ? Array.from({ length: count }, () => new AbortController()) : undefined;
  // The signals are the callers'; what a signal makes on first use is not the pool's either.
  for (const { signal } of own ?? []) signal.addEventListener('abort', ignore);
  const promises: Promise<unknown>[] = new Array(count);
  const before = await heapAfterCollection();
  for (let i = 0; i < count; i += 1) {
    const signal = signals === 'none' ? undefined : (own?.[i] ?? shared).signal;
    promises[i] = pool.allocate(POOLED_BYTES, { maxBlockMs: heldMs + 1 + i, signal });
  }
  await clock.advanceAsync(heldMs);
  const heldBytes = (await heapAfterCollection()) - before;
  const timers = clock.pendingTimers;
  const settled = settleAll(promises.splice(0));
  for (const { signal } of own ?? []) signal.removeEventListener('abort', ignore);
  for (const controller of own ?? [shared]) controller.abort();
  await clock.advanceAsync(count + 1);
  await settled;
  const leftBytes = (await heapAfterCollection()) - before;
  pool.deallocate(held);
  await pool.close();
  return { heldBytes, leftBytes, timers };
}

/** Bytes of heap that so many aborted waits, each with a signal of its own, leave behind. */
export async function keptByAborted(count: number): Promise<number> {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: POOLED_BYTES, poolableBytes: POOLED_BYTES }, { clock });
  const held = await pool.allocate(POOLED_BYTES);
  const abortSome = async (): Promise<void> => {
    const waits = Array.from({ length: 1000 }, () => {
      const controller = new AbortController();
      return { controller, wait: pool.allocate(POOLED_BYTES, { signal: controller.signal }) };
    });
    for (const { controller } of waits) controller.abort();
    await settleAll(waits.map(({ wait }) => wait));
  };
  await abortSome();
  const before = await heapAfterCollection();
  for (let done = 0; done < count; done += 1000) await abortSome();
  const keptBytes = (await heapAfterCollection()) - before;
  pool.deallocate(held);
  await pool.close();
  return keptBytes;
}

/** The same with signals that nothing but a promise listens to: what of it is Node's own. */
export async function keptByBareSignals(count: number): Promise<number> {
  const abortSome = async (): Promise<void> => {
    const waits = Array.from({ length: 1000 }, () => {
      const controller = new AbortController();
      const { signal } = controller;
      const wait = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return { controller, wait };
    });
    for (const { controller } of waits) controller.abort();
    await settleAll(waits.map(({ wait }) => wait));
  };
  await abortSome();
  const before = await heapAfterCollection();
  for (let done = 0; done < count; done += 1000) await abortSome();
  return (await heapAfterCollection()) - before;
}

/** Waits for all, and lets go of what they came to. */
async function settleAll(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises);
}

function ignore(): void {
  // Only there to be listened with.
}
