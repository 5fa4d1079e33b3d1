import { ManualClock, randomBelow, seededRandom, systemClock } from '@logloft/clock';
import { heapAfterCollection } from '../harness/heap.ts';
import { givingUpOf, type LimiterKind, openLimiterOf, type PeerLimiter } from './limiter-kinds.ts';
import { installVirtualTime } from './virtual-time.ts';

const BATCH = 1000;
const TOGETHER = 100;
const MOST_NANOS = 3e8;
const WINDOW_SECONDS = 10;
const BYTES_PER_SECOND = 1_000_000;
/** One small request begins the window of those who count in fixed ones; then it is quiet for a while. */
const QUIET_MS = 9_900;
const END_MS = 70_000;
const WRITERS = 4;
/** Ms in which one writer sends one chunk, so that what waits is the limit and not the writers. */
const SEND_MS = 2;

/** What a test is told. */
export interface LimiterTest {
  readonly kind: LimiterKind;
  readonly count: number;
}

/** How well the limit held, as multiples of what it allows. */
export interface Accuracy {
  /** The fullest span as long as the window. */
  readonly fullestWindow: number;
  /** The fullest second. */
  readonly fullestSecond: number;
  /** All after the quiet time: below 1 the limit was not used. */
  readonly average: number;
}

/** Ns for a leave while there is room, a hundred asked for together, as several callers do. */
export async function freeTakeNanos({ kind, count }: LimiterTest): Promise<number> {
  const limiter = openLimiterOf(kind, {
    bytesPerSecond: 1e12,
    windowSeconds: WINDOW_SECONDS,
    clock: systemClock,
  });
  const start = process.hrtime.bigint();
  let done = 0;
  let elapsed = 0;
  // One of them takes ms for each.
  while (done < count && elapsed < MOST_NANOS) {
    await Promise.all(Array.from({ length: TOGETHER }, () => limiter.take(1000)));
    done += TOGETHER;
    elapsed = Number(process.hrtime.bigint() - start);
  }
  return elapsed / done;
}

/** Bytes of heap for each of so many who wait. */
export async function bytesPerWait({ kind, count }: LimiterTest): Promise<number> {
  const limiter = await exhausted(kind);
  const promises: Promise<unknown>[] = new Array(count);
  const before = await heapAfterCollection();
  for (let i = 0; i < count; i += 1) promises[i] = limiter.take(BATCH);
  const bytes = (await heapAfterCollection()) - before;
  for (const promise of promises) promise.catch(ignore);
  return bytes / count;
}

/** Bytes of heap that so many aborted waits leave behind; `undefined` where nobody can stop waiting. */
export async function keptByAbortedTakes({
  kind,
  count,
}: LimiterTest): Promise<number | undefined> {
  const how = givingUpOf(kind);
  if (how === 'cannot') return undefined;
  const abortSome = how === 'each' ? await aborterOfEach(kind) : () => abortAll(kind);
  await abortSome();
  const before = await heapAfterCollection();
  for (let done = 0; done < count; done += BATCH) await abortSome();
  return (await heapAfterCollection()) - before;
}

/** Lets greedy writers go at the limit, on simulated time. The process knows no other time after it. */
export async function accuracyOf(kind: LimiterKind): Promise<Accuracy> {
  const clock = new ManualClock();
  installVirtualTime(clock);
  const limiter = openLimiterOf(kind, {
    bytesPerSecond: BYTES_PER_SECOND,
    windowSeconds: WINDOW_SECONDS,
    clock,
  });
  const sent: Sent[] = [];
  const send = async (bytes: number): Promise<void> => {
    await limiter.take(bytes);
    sent.push({ atMs: clock.monotonic(), bytes });
    await new Promise<void>((resolve) => clock.setTimer(SEND_MS, resolve));
  };
  void send(1);
  await pass(clock, QUIET_MS);
  const random = seededRandom(1);
  const write = async (): Promise<void> => {
    while (clock.monotonic() < END_MS) await send(100_000 + randomBelow(random, 300_000));
  };
  for (let writer = 0; writer < WRITERS; writer += 1) write().catch(ignore);
  await pass(clock, END_MS - QUIET_MS);
  const bytes = sent.reduce((sum, one) => sum + one.bytes, 0);
  return {
    fullestWindow: fullest(sent, WINDOW_SECONDS * 1000) / (BYTES_PER_SECOND * WINDOW_SECONDS),
    fullestSecond: fullest(sent, 1000) / BYTES_PER_SECOND,
    average: bytes / (((END_MS - QUIET_MS) / 1000) * BYTES_PER_SECOND),
  };
}

interface Sent {
  readonly atMs: number;
  readonly bytes: number;
}

/** The most bytes in any span of `spanMs`, the end not in it. */
function fullest(sent: readonly Sent[], spanMs: number): number {
  let most = 0;
  let inSpan = 0;
  let first = 0;
  for (const { atMs, bytes } of sent) {
    inSpan += bytes;
    for (let old = sent[first]; old !== undefined && old.atMs <= atMs - spanMs; old = sent[first]) {
      inSpan -= old.bytes;
      first += 1;
    }
    most = Math.max(most, inSpan);
  }
  return most;
}

/** Timer by timer, so that promises run in between. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  const endMs = clock.monotonic() + ms;
  for (let left = ms; left > 0; left = endMs - clock.monotonic()) {
    await clock.advanceAsync(Math.min(clock.nextTimerInMs ?? left, left));
  }
}

/** A limiter of a window a second, of which the present one is used up. */
async function exhausted(kind: LimiterKind, signal?: AbortSignal): Promise<PeerLimiter> {
  const options = { bytesPerSecond: BATCH, windowSeconds: 1, clock: systemClock, signal };
  const limiter = openLimiterOf(kind, options);
  // Ours lets the first overshoot, and then holds the others for as long as that takes to pass.
  await limiter.take(BATCH);
  return limiter;
}

/** Each who waits is called off by a signal of its own. */
async function aborterOfEach(kind: LimiterKind): Promise<() => Promise<void>> {
  const limiter = openLimiterOf(kind, { bytesPerSecond: 1, windowSeconds: 61, clock: systemClock });
  // At once by a window, which is exceeded from then on; the pacer is busy with it for ever.
  limiter.take(1e9).catch(ignore);
  return async () => {
    const waits = Array.from({ length: BATCH }, () => {
      const controller = new AbortController();
      return { controller, wait: limiter.take(1, controller.signal) };
    });
    for (const { controller } of waits) controller.abort();
    await settleAll(waits.map(({ wait }) => wait));
  };
}

/** All who wait are called off by the one signal that such a limiter takes. */
async function abortAll(kind: LimiterKind): Promise<void> {
  const controller = new AbortController();
  const limiter = await exhausted(kind, controller.signal);
  const waits = Array.from({ length: BATCH }, () => limiter.take(BATCH));
  const settled = settleAll(waits);
  controller.abort();
  await settled;
}

async function settleAll(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises);
}

function ignore(): void {
  // Whoever still waits at the end of a test goes with its process.
}
