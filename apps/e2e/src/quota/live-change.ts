import type { CheckRun } from '../harness/run-checks.ts';
import { sleep } from '../harness/sleep.ts';
import { fullestWindow, meterNow, totalBytes } from '../harness/store-meter.ts';
import { TASK_INTERVAL_MS } from '../harness/tiering-properties.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { ConfigAdmin } from './config-admin.ts';
import { mebibytes } from './mebibytes.ts';
import { type MeteredBroker, makeBacklog, SEGMENT_BYTES, startMetered } from './metered-broker.ts';
import { WRITE_LIMIT, WRITE_SAMPLES } from './names.ts';

const SAMPLES = 5;
const SPAN_MS = SAMPLES * 1000;
/** One segment of 256 KiB keeps the window full for four seconds at least. */
const LOW = 32 * 1024;
const MIDDLE = 1024 * 1024;
const HIGH = 4 * 1024 * 1024;
/** For the request, the timer and the copy's own first steps on a machine that is busy. */
const SLACK_MS = 300;

const DYNAMIC_BROKER = 2;
const DYNAMIC_DEFAULT_BROKER = 3;
const STATIC_BROKER = 4;

/** A limit that is changed while a backlog is copied, and what becomes of it over restarts. */
export async function checkLiveChange(run: CheckRun): Promise<MeteredBroker> {
  const { checks, cleanup } = run;
  const metered = await startMetered(run, {
    [WRITE_LIMIT]: String(LOW),
    [WRITE_SAMPLES]: String(SAMPLES),
  });
  const { broker, meter } = metered;
  await makeBacklog(metered, { topic: 'live', partitions: 2, bytes: 48 * 1024 * 1024 });
  await checks.check(
    'a limit that cannot hold on the average is told, with the rate that does',
    () => {
      // Whole segments are admitted, and one in a window is more than the limit.
      const held = SEGMENT_BYTES / SAMPLES;
      const told = broker.log.find(
        ({ level, fields }) =>
          level === 'warn' && Math.abs(Number(fields['heldBytesPerSecond']) - held) < 1,
      );
      if (told === undefined) throw new Error(`no warning names ${held} bytes per second`);
      return `${told.message.slice(0, 60)}…`;
    },
  );
  const admin = new ConfigAdmin(broker.bootstrap, cleanup);
  await checks.check(
    'a limit raised on the cluster default is felt within one interval',
    async () => {
      const lastMs = await nextSegment(metered);
      await admin.set(WRITE_LIMIT, String(HIGH));
      const changedMs = meterNow();
      const firstMs = await nextSegment(metered, lastMs);
      const feltMs = firstMs - changedMs;
      if (feltMs > TASK_INTERVAL_MS + SLACK_MS) {
        throw new Error(
          `felt after ${feltMs.toFixed(0)} ms, the interval is ${TASK_INTERVAL_MS} ms`,
        );
      }
      return `felt after ${Math.max(feltMs, 0).toFixed(0)} ms; the old limit would have waited ${(SPAN_MS - (changedMs - lastMs)).toFixed(0)} ms`;
    },
  );
  await checks.check('the raised limit lets more through, within its own bound', async () => {
    const fromMs = meterNow();
    await sleep(2000);
    return await rateWithin(metered, { fromMs, least: LOW * 10, limit: HIGH });
  });
  await checks.check('a limit that is lowered binds at once', async () => {
    await admin.set(WRITE_LIMIT, String(LOW));
    const fromMs = meterNow();
    await sleep(SPAN_MS);
    const begun = await meter.begun({ suffix: '.log', fromMs });
    const bound = boundOf(LOW);
    if (totalBytes(begun) > bound) {
      throw new Error(`${totalBytes(begun)} bytes in ${SPAN_MS} ms, the bound is ${bound}`);
    }
    return `${begun.length} segments begun in ${SPAN_MS} ms`;
  });
  await admin.set(WRITE_LIMIT, String(MIDDLE));
  await admin.close();
  await checkRestarts(run, metered);
  return metered;
}

async function checkRestarts(run: CheckRun, metered: MeteredBroker): Promise<void> {
  const { checks, cleanup } = run;
  const { broker } = metered;
  const restarts = [
    { how: 'a clean restart', end: () => broker.stop() },
    { how: 'kill -9', end: () => broker.kill('SIGKILL') },
  ];
  for (const { how, end } of restarts) {
    await checks.check(`the changed limit survives ${how}`, async () => {
      await end();
      const startedMs = meterNow();
      await broker.restart();
      const admin = new ConfigAdmin(broker.bootstrap, cleanup);
      const [found] = await admin.describe([WRITE_LIMIT]);
      await admin.close();
      if (found?.value !== String(MIDDLE) || found.configSource !== DYNAMIC_DEFAULT_BROKER) {
        throw new Error(`described as ${JSON.stringify(found)}`);
      }
      await sleep(4000);
      // Far more than the limit of the command line would let through.
      return await rateWithin(metered, { fromMs: startedMs, least: LOW * 5, limit: MIDDLE });
    });
  }
  const admin = new ConfigAdmin(broker.bootstrap, cleanup);
  await checks.check('a limit on the node id wins over the cluster default', async () => {
    await admin.set(WRITE_LIMIT, '777777', '0');
    const [own] = await admin.describe([WRITE_LIMIT]);
    await admin.unset(WRITE_LIMIT, '0');
    const [shared] = await admin.describe([WRITE_LIMIT]);
    await admin.unset(WRITE_LIMIT);
    const [started] = await admin.describe([WRITE_LIMIT]);
    const found = [own, shared, started].map((one) => `${one?.value} from ${one?.configSource}`);
    const expected = [
      `777777 from ${DYNAMIC_BROKER}`,
      `${MIDDLE} from ${DYNAMIC_DEFAULT_BROKER}`,
      `${LOW} from ${STATIC_BROKER}`,
    ];
    if (found.join() !== expected.join()) {
      throw new Error(`expected ${expected.join(', ')}, found ${found.join(', ')}`);
    }
    return found.join(', then ');
  });
  await admin.close();
}

/** Waits for a segment that begins after a moment. @returns when */
async function nextSegment({ meter }: MeteredBroker, afterMs = meterNow()): Promise<number> {
  let begunMs = Number.NaN;
  await waitUntil(
    'the next segment at the store',
    async () => {
      const next = (await meter.begun({ suffix: '.log' })).find(({ t }) => t > afterMs);
      begunMs = next?.t ?? Number.NaN;
      return next === undefined ? 'none' : undefined;
    },
    { deadlineMs: 3 * SPAN_MS, everyMs: 10 },
  );
  return begunMs;
}

function boundOf(limit: number): number {
  return limit * (SAMPLES + 1) + SEGMENT_BYTES;
}

async function rateWithin(
  { meter }: MeteredBroker,
  {
    fromMs,
    least,
    limit,
  }: {
    readonly fromMs: number;
    /** Bytes per second that must have been reached. */
    readonly least: number;
    readonly limit: number;
  },
): Promise<string> {
  const begun = await meter.begun({ suffix: '.log', fromMs });
  const seconds = (meterNow() - fromMs) / 1000;
  const rate = totalBytes(begun) / seconds;
  const fullest = fullestWindow(begun, SPAN_MS).bytes;
  const figures = `${mebibytes(rate)}/s, fullest ${SPAN_MS} ms ${mebibytes(fullest)}, bound ${mebibytes(boundOf(limit))}`;
  if (rate < least) throw new Error(`expected ${mebibytes(least)}/s at least: ${figures}`);
  if (fullest > boundOf(limit)) throw new Error(figures);
  return figures;
}
