import { summarize } from './stats.ts';

/** Short enough that most stretches are over before the system gives the core to other work. */
const STRETCH_NANOS = 250_000;

/**
 * Nanoseconds a call: the median of many short stretches, after as long a time of warming up, so
 * that a stretch which other work cut into does not count. For calls of a few microseconds at most.
 */
export function steadyNanosecondsPerCall(call: () => void, targetMs: number): number {
  const calls = callsIn(STRETCH_NANOS, call, targetMs);
  const stretches: number[] = [];
  const end = process.hrtime.bigint() + BigInt(Math.round(targetMs * 1e6));
  do {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; i += 1) call();
    stretches.push(Number(process.hrtime.bigint() - start) / calls);
  } while (process.hrtime.bigint() < end);
  return summarize(stretches).median;
}

/** Warms up, and finds out how many calls fill a stretch. */
function callsIn(nanos: number, call: () => void, warmUpMs: number): number {
  const start = process.hrtime.bigint();
  let fastest = Number.POSITIVE_INFINITY;
  do {
    const before = process.hrtime.bigint();
    call();
    fastest = Math.min(fastest, Number(process.hrtime.bigint() - before));
  } while (Number(process.hrtime.bigint() - start) < warmUpMs * 1e6);
  return Math.max(1, Math.round(nanos / fastest));
}
