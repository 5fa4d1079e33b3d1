import type { CheckRun } from '../harness/run-checks.ts';
import { sleep } from '../harness/sleep.ts';
import { fullestWindow, type MeteredBytes, meterNow, totalBytes } from '../harness/store-meter.ts';
import { mebibytes } from './mebibytes.ts';
import { makeBacklog, SEGMENT_BYTES, startMetered } from './metered-broker.ts';
import {
  WRITE_EXHAUSTED,
  WRITE_LIMIT,
  WRITE_SAMPLES,
  WRITE_SCOPE,
  WRITE_WINDOW_SECONDS,
  WRITERS,
} from './names.ts';

const LIMIT = 256 * 1024;
const SAMPLES = 5;
const WINDOW_SECONDS = 1;
const SPAN_MS = SAMPLES * WINDOW_SECONDS * 1000;
const PARTITIONS = 4;
const MEASURED_MS = 2.4 * SPAN_MS;

/** The bound that a windowed quota promises for every span of the window: decision 3. */
const BOUND = LIMIT * (SAMPLES + 1) * WINDOW_SECONDS + SEGMENT_BYTES;

/** How the quota is set in one of the measurements. */
export interface WindowedPolicy {
  readonly scope: 'broker' | 'writer';
  readonly exhausted: 'abort' | 'wait';
}

/**
 * Lets four partitions copy a backlog under a windowed quota, and checks every span of the window, not
 * only those that begin with a sample.
 */
export async function checkWindowedBound(
  run: CheckRun,
  { scope, exhausted }: WindowedPolicy,
): Promise<void> {
  const { checks } = run;
  const name = `scope ${scope}, ${exhausted}`;
  const bound = scope === 'broker' ? BOUND : BOUND * PARTITIONS;
  const metered = await startMetered(run, {
    [WRITE_LIMIT]: String(LIMIT),
    [WRITE_SAMPLES]: String(SAMPLES),
    [WRITE_WINDOW_SECONDS]: String(WINDOW_SECONDS),
    [WRITE_SCOPE]: scope,
    [WRITE_EXHAUSTED]: exhausted,
    [WRITERS]: String(PARTITIONS),
  });
  // More than the bound lets through in the time that is measured.
  const backlog = Math.ceil(bound / SPAN_MS) * MEASURED_MS * 1.5;
  await makeBacklog(metered, { topic: 'backlog', partitions: PARTITIONS, bytes: backlog });
  const fromMs = meterNow();
  await sleep(MEASURED_MS);
  const segments = await metered.meter.begun({ suffix: '.log' });
  const pieces = await metered.meter.written({ suffix: '.log' });
  await metered.broker.kill();
  await checks.check(
    `${name}: no span of ${SPAN_MS} ms has more than ${mebibytes(bound)} at the store`,
    () => {
      const fullest = Math.max(
        checkSpans('segments', segments, bound),
        checkSpans('pieces', pieces, bound),
      );
      return `fullest ${mebibytes(fullest)}, ${segments.length} segments, ${mebibytes(totalBytes(pieces))} in all`;
    },
  );
  await checks.check(`${name}: what the quota allows is used`, () => {
    const measured = pieces.filter(({ t }) => t >= fromMs);
    const rate = totalBytes(measured) / (MEASURED_MS / 1000);
    const writers = scope === 'broker' ? 1 : PARTITIONS;
    const least = LIMIT * writers * 0.7;
    const figures = `${mebibytes(rate)}/s at a limit of ${mebibytes(LIMIT * writers)}/s`;
    if (rate < least) throw new Error(`expected at least 70 % of the limit, found ${figures}`);
    return figures;
  });
}

function checkSpans(what: string, bytes: readonly MeteredBytes[], bound: number): number {
  const fullest = fullestWindow(bytes, SPAN_MS);
  if (fullest.bytes <= bound) return fullest.bytes;
  const inside = bytes.filter(({ t }) => t >= fullest.fromMs && t <= fullest.fromMs + SPAN_MS);
  const list = inside.map(({ t, bytes: one }) => `+${(t - fullest.fromMs).toFixed(0)} ms ${one}`);
  throw new Error(
    `${what}: ${fullest.bytes} bytes in ${SPAN_MS} ms, the bound is ${bound}\n${list.slice(0, 40).join(', ')}`,
  );
}
