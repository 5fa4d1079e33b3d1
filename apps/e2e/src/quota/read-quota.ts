import type { FetchResponse } from '@logloft/protocol';
import { createTopic } from '../harness/create-topic.ts';
import { fetchPartitions, type PartitionAnswer } from '../harness/fetch-partitions.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { produceBytes } from '../harness/produce-bytes.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { fullestWindow, meterNow, totalBytes } from '../harness/store-meter.ts';
import { waitTiered } from '../harness/wait-tiered.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { ConfigAdmin } from './config-admin.ts';
import { mebibytes } from './mebibytes.ts';
import { type MeteredBroker, makeBacklog, SEGMENT_BYTES, startMetered } from './metered-broker.ts';
import { READ_LIMIT, READ_SAMPLES } from './names.ts';

const LIMIT = 32 * 1024;
const RAISED = 1024 * 1024;
const SAMPLES = 3;
const SPAN_MS = SAMPLES * 1000;
/** The local partition has its answer ready; this is for the way there and back on a busy machine. */
const AT_ONCE_MS = 250;
const LONG_POLL_MS = 2000;

type Wanted = 'cold' | 'warm';

/** Fetches of a cold and a local partition with the read quota used up, and with room again. */
export async function checkReadQuota(run: CheckRun): Promise<void> {
  const { checks, cleanup } = run;
  const metered = await startMetered(run, {
    [READ_LIMIT]: String(LIMIT),
    [READ_SAMPLES]: String(SAMPLES),
  });
  const { broker } = metered;
  await makeBacklog(metered, { topic: 'cold', partitions: 1, bytes: 8 * 1024 * 1024 });
  await createTopic(broker.bootstrap, 'warm', { configs: { 'remote.storage.enable': 'false' } });
  await produceBytes(broker.bootstrap, { topic: 'warm', partitions: 1, bytes: 64 * 1024 });
  await waitTiered(broker, { topic: 'cold', minSegments: 10 });
  const connection = await KafkaConnection.open(broker.bootstrap);
  cleanup.add(() => connection.close());
  const reader = new Reader(connection);

  let exhaustedMs = 0;
  await checks.check('a cold partition is read while the window has room', async () => {
    const { cold, ms } = await reader.fetch(['cold'], { maxWaitMs: LONG_POLL_MS });
    exhaustedMs = meterNow();
    expectRecords('cold', cold);
    return `${cold?.records} bytes in ${ms.toFixed(0)} ms, ${((cold?.records ?? 0) / LIMIT).toFixed(1)} seconds of the limit`;
  });
  await checkExhausted(run, reader);
  await checks.check('the cold partition flows again when the window has room', async () => {
    let last: PartitionAnswer | undefined;
    await waitUntil('records of the cold partition', async () => {
      const { cold } = await reader.fetch(['cold', 'warm'], { maxWaitMs: 100 });
      last = cold;
      if (cold === undefined || cold.errorCode !== 0) throw new Error(JSON.stringify(cold));
      return cold.records > 0 ? undefined : JSON.stringify(cold);
    });
    const closedMs = meterNow() - exhaustedMs;
    // A sample leaves the window when it is as old as the window is long, a sample more at most.
    if (closedMs < SPAN_MS - 1500 || closedMs > SPAN_MS + 1500) {
      throw new Error(`it was closed for ${closedMs.toFixed(0)} ms, the window is ${SPAN_MS} ms`);
    }
    return `${last?.records} bytes after ${closedMs.toFixed(0)} ms, the window is ${SPAN_MS} ms`;
  });
  await checkReadBound(run, { metered, reader, limit: LIMIT, measuredMs: 3 * SPAN_MS });
  await checks.check('a read limit raised live lets the cold partition flow at once', async () => {
    await exhaust(reader);
    const admin = new ConfigAdmin(broker.bootstrap, cleanup);
    await admin.set(READ_LIMIT, String(RAISED));
    await admin.close();
    const { cold, ms } = await reader.fetch(['cold'], { maxWaitMs: 100 });
    expectRecords('cold', cold);
    return `${cold?.records} bytes in ${ms.toFixed(0)} ms`;
  });
  await checkReadBound(run, { metered, reader, limit: RAISED, measuredMs: 2 * SPAN_MS });
  connection.close();
  await broker.kill();
}

async function checkExhausted({ checks }: CheckRun, reader: Reader): Promise<void> {
  const orders: readonly (readonly Wanted[])[] = [
    ['cold', 'warm'],
    ['warm', 'cold'],
  ];
  for (const order of orders) {
    await checks.check(
      `exhausted, ${order.join(' before ')}: the local partition at once, the cold one empty`,
      async () => {
        await exhaust(reader);
        const figures: string[] = [];
        for (const version of [4, 7, 11, 12]) {
          const { cold, warm, ms, throttleTimeMs } = await reader.fetch(order, {
            maxWaitMs: LONG_POLL_MS,
            version,
          });
          expectEmpty(cold);
          expectRecords('warm', warm);
          if (throttleTimeMs !== 0) throw new Error(`throttled for ${throttleTimeMs} ms`);
          if (ms > AT_ONCE_MS) throw new Error(`version ${version} took ${ms.toFixed(0)} ms`);
          figures.push(`v${version} ${ms.toFixed(1)} ms`);
        }
        return figures.join(', ');
      },
    );
  }
  await checks.check(
    'exhausted: a fetch of the cold partition alone waits, so nobody spins',
    async () => {
      await exhaust(reader);
      const { cold, ms } = await reader.fetch(['cold'], { maxWaitMs: 400 });
      expectEmpty(cold);
      if (ms < 350 || ms > 400 + AT_ONCE_MS) {
        throw new Error(`answered after ${ms.toFixed(0)} ms, maxWaitMs was 400`);
      }
      return `${ms.toFixed(0)} ms`;
    },
  );
}

/** Reads until the quota is used up. */
async function exhaust(reader: Reader): Promise<void> {
  await waitUntil('the read quota to be used up', async () => {
    const { cold } = await reader.fetch(['cold', 'warm'], { maxWaitMs: 0 });
    return cold?.records === 0 ? undefined : `${cold?.records} bytes`;
  });
}

async function checkReadBound(
  { checks }: CheckRun,
  {
    metered,
    reader,
    limit,
    measuredMs,
  }: {
    readonly metered: MeteredBroker;
    readonly reader: Reader;
    readonly limit: number;
    readonly measuredMs: number;
  },
): Promise<void> {
  const bound = limit * (SAMPLES + 1) + SEGMENT_BYTES;
  await checks.check(
    `reads at ${mebibytes(limit)}/s: no span of ${SPAN_MS} ms has more than ${mebibytes(bound)} at the store`,
    async () => {
      const fromMs = meterNow();
      while (meterNow() - fromMs < measuredMs) await reader.fetch(['cold'], { maxWaitMs: 50 });
      const read = await metered.meter.readBytes({ suffix: '.log', fromMs });
      const fullest = fullestWindow(read, SPAN_MS).bytes;
      const rate = totalBytes(read) / (measuredMs / 1000);
      const figures = `fullest ${mebibytes(fullest)}, ${mebibytes(rate)}/s on the average`;
      if (fullest > bound) throw new Error(figures);
      if (rate < limit * 0.7) throw new Error(`less than 70 % of the limit is used: ${figures}`);
      return figures;
    },
  );
}

interface ReadOptions {
  readonly maxWaitMs: number;
  readonly version?: number | undefined;
}

interface ReadAnswer {
  readonly cold: PartitionAnswer | undefined;
  readonly warm: PartitionAnswer | undefined;
  readonly ms: number;
  readonly throttleTimeMs: FetchResponse['throttleTimeMs'];
}

/** Reads both topics from their beginning, as raw requests. */
class Reader {
  readonly #connection: KafkaConnection;

  constructor(connection: KafkaConnection) {
    this.#connection = connection;
  }

  async fetch(
    order: readonly Wanted[],
    { maxWaitMs, version = 11 }: ReadOptions,
  ): Promise<ReadAnswer> {
    const startedMs = performance.now();
    const { answers, throttleTimeMs } = await fetchPartitions(this.#connection, {
      version,
      maxWaitMs,
      minBytes: 1,
      partitions: order.map((topic) => ({ topic, partition: 0, offset: 0 })),
    });
    const ms = performance.now() - startedMs;
    return {
      cold: answers.find(({ topic }) => topic === 'cold'),
      warm: answers.find(({ topic }) => topic === 'warm'),
      ms,
      throttleTimeMs,
    };
  }
}

function expectRecords(name: Wanted, answer: PartitionAnswer | undefined): void {
  if (answer?.errorCode === 0 && answer.records > 0) return;
  throw new Error(`expected records of ${name}, found ${JSON.stringify(answer)}`);
}

function expectEmpty(answer: PartitionAnswer | undefined): void {
  const isEmpty = answer?.errorCode === 0 && answer.records === 0 && answer.highWatermark > 0;
  if (isEmpty) return;
  throw new Error(`expected no records and no error of cold, found ${JSON.stringify(answer)}`);
}
