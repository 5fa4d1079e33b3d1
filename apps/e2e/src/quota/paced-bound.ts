import type { CheckRun } from '../harness/run-checks.ts';
import { sleep } from '../harness/sleep.ts';
import { fullestWindow, type MeteredBytes, meterNow, totalBytes } from '../harness/store-meter.ts';
import { mebibytes } from './mebibytes.ts';
import { makeBacklog, startMetered } from './metered-broker.ts';
import { WRITE_EXHAUSTED, WRITE_LIMIT, WRITERS } from './names.ts';

const WINDOW_MS = 100;
const TOLERANCE = 1.1;
const PARTITIONS = 3;
const MEASURED_MS = 6000;

/** Lets three partitions copy side by side under `pace`: the limit itself holds, in every 100 ms. */
export async function checkPacedBound(run: CheckRun, limit: number): Promise<void> {
  const { checks } = run;
  const metered = await startMetered(run, {
    [WRITE_LIMIT]: String(limit),
    [WRITE_EXHAUSTED]: 'pace',
    [WRITERS]: String(PARTITIONS),
  });
  const backlog = (limit * MEASURED_MS * 2.2) / 1000;
  await makeBacklog(metered, { topic: 'backlog', partitions: PARTITIONS, bytes: backlog });
  const fromMs = meterNow();
  await sleep(MEASURED_MS);
  // All objects of a segment pass the pacer.
  const taken = await metered.meter.taken();
  const pieces = await metered.meter.written();
  await metered.broker.kill();
  const name = `pace at ${mebibytes(limit)}/s`;
  const evenly = (limit * WINDOW_MS) / 1000;
  const bound = evenly * TOLERANCE;
  await checks.check(`${name}: no ${WINDOW_MS} ms have more than 110 % of the limit`, () =>
    checkWindows(taken, { evenly, bound }),
  );
  // A disk that stalls holds up what has arrived: one slice of each writer, and not more.
  const inFlight = PARTITIONS * Math.max(...taken.map(({ bytes }) => bytes));
  await checks.check(`${name}: nor are more written, but for one slice of each writer`, () =>
    checkWindows(pieces, { evenly, bound: bound + inFlight }),
  );
  await checks.check(`${name}: what the quota allows is used`, () => {
    const copied = totalBytes(pieces.filter(({ key }) => key.endsWith('.log')));
    if (copied > backlog * 0.95)
      throw new Error('all was copied before the end of the measurement');
    const rate = totalBytes(pieces.filter(({ t }) => t >= fromMs)) / (MEASURED_MS / 1000);
    if (rate < limit * 0.6) throw new Error(`only ${mebibytes(rate)}/s`);
    return `${mebibytes(rate)}/s`;
  });
}

function checkWindows(
  pieces: readonly MeteredBytes[],
  { evenly, bound }: { readonly evenly: number; readonly bound: number },
): string {
  const { bytes } = fullestWindow(pieces, WINDOW_MS);
  const percent = (part: number): string => `${((part / evenly) * 100).toFixed(1)} %`;
  const largest = Math.max(...pieces.map((one) => one.bytes));
  const figures = `fullest ${bytes} bytes, ${percent(bytes)}; largest piece ${largest}`;
  if (bytes > bound) throw new Error(`the bound is ${percent(bound)}; ${figures}`);
  return figures;
}
