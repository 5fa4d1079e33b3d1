import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode } from '@logloft/protocol';
import { Ledger } from '../crash/ledger.ts';
import { fetchOnce } from '../crash/partition-fetcher.ts';
import type { TopicPartition } from '../crash/topic-partition.ts';
import { verifyPartition } from '../crash/verify-partition.ts';
import { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { sleep } from '../harness/sleep.ts';
import { type SpecialOffsets, specialOffsets } from '../harness/special-offsets.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { SEGMENT_BYTES, tieringProperties } from '../harness/tiering-properties.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Outage } from './failing-store.ts';
import { LedgerWriter } from './ledger-writer.ts';

const OUTAGE_MS = 5000;
const MAX_WAIT_MS = 2000;
const BATCHES_BEFORE = 60;
const PAUSE_MS = 40;
/** A task a half second, and it backs off after each that fails: it calls the store no more often than this. */
const MAX_ATTEMPTS = 24;
const OF: TopicPartition = { topic: 'outage', partition: 0 };

interface OutageScene extends CheckRun {
  readonly broker: BrokerProcess;
  readonly connection: KafkaConnection;
  readonly ledger: Ledger;
  readonly writer: LedgerWriter;
  /** The file that puts the store out of order. */
  readonly outage: string;
  /** The file with a line for each call that was begun. */
  readonly attempts: string;
}

/** A store that fails, and one that does not answer: only those who need it notice. */
export async function checkStoreOutage(run: CheckRun): Promise<void> {
  const scene = await openScene(run);
  await run.checks.check('a store in order: segments are tiered', () => waitTiered(scene));
  await checkOutage(scene, 'fail');
  await checkOutage(scene, 'hang');
  await run.checks.check('it stops cleanly', () => scene.broker.stop());
}

async function openScene({ checks, cleanup }: CheckRun): Promise<OutageScene> {
  const directory = await temporaryDirectory(cleanup);
  const outage = join(directory, 'outage');
  const attempts = join(directory, 'attempts');
  await writeFile(attempts, '');
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(directory, 'data'),
      remoteStorage: join(import.meta.dirname, 'failing-store.js'),
      properties: tieringProperties({
        'log.local.retention.ms': '-2',
        'log.local.retention.bytes': String(SEGMENT_BYTES),
        'remote.log.manager.task.retry.backoff.max.ms': '2000',
        'rsm.config.storage.root': join(directory, 'remote'),
        'rsm.config.storage.outage': outage,
        'rsm.config.storage.attempts': attempts,
        'rsm.config.idle.timeout.ms': '3000',
      }),
    },
    cleanup,
  );
  await createTopic(broker.bootstrap, OF.topic, { configs: { 'remote.storage.enable': 'true' } });
  const connection = await KafkaConnection.open(broker.bootstrap);
  cleanup.add(() => connection.close());
  const ledger = new Ledger();
  const writer = await LedgerWriter.open(connection, OF, ledger);
  await writer.write(BATCHES_BEFORE);
  return { checks, cleanup, broker, connection, ledger, writer, outage, attempts };
}

async function checkOutage(scene: OutageScene, outage: Outage): Promise<void> {
  const { checks, connection, ledger } = scene;
  const name = outage === 'fail' ? 'a store that fails' : 'a store that does not answer';
  let before: SpecialOffsets | undefined;
  await checks.check(`${name}: producers and local reads notice nothing`, async () => {
    before = await offsetsOf(scene);
    await writeFile(scene.attempts, '');
    await writeFile(scene.outage, outage);
    return await useLocally(scene);
  });
  await checks.check(`${name}: copying backs off, and the lag shows`, () =>
    checkLag(scene, before),
  );
  await checks.check(`${name}: a cold read gets KAFKA_STORAGE_ERROR, or nothing yet`, () =>
    checkColdRead(scene),
  );
  await checks.check(`${name}: cold reads and copying are well when it is back`, async () => {
    await rm(scene.outage, { force: true });
    const text = await waitTiered(scene);
    const { records } = await verifyPartition(connection, OF, ledger.expected(OF));
    return `${text}; ${records} records read over both tiers`;
  });
}

/** Produces and reads what is local, for as long as the outage lasts. */
async function useLocally({ broker, connection, writer }: OutageScene): Promise<string> {
  const startedMs = performance.now();
  writer.takeSlowestMs();
  let slowestReadMs = 0;
  let batches = 0;
  while (performance.now() - startedMs < OUTAGE_MS) {
    await writer.write(1);
    batches += 1;
    const { latest } = await specialOffsets(broker.bootstrap, OF.topic, OF.partition);
    const readMs = performance.now();
    const { errorCode, records } = await fetchOnce(connection, OF, latest - 1);
    slowestReadMs = Math.max(slowestReadMs, performance.now() - readMs);
    if (errorCode !== ErrorCode.NONE || records.length === 0) {
      throw new Error(`a local read: error ${errorCode}, ${records.length} bytes`);
    }
    await sleep(PAUSE_MS);
  }
  const slowestMs = writer.takeSlowestMs();
  const figures = `${batches} batches, slowest ${slowestMs.toFixed(0)} ms, slowest read ${slowestReadMs.toFixed(0)} ms`;
  if (slowestMs > MAX_WAIT_MS || slowestReadMs > MAX_WAIT_MS) throw new Error(figures);
  return figures;
}

async function checkLag(scene: OutageScene, before: SpecialOffsets | undefined): Promise<string> {
  if (before === undefined) throw new Error('the outage did not begin');
  const now = await offsetsOf(scene);
  const lag = now.latest - 1 - now.latestTiered;
  const lagBefore = before.latest - 1 - before.latestTiered;
  // The copy that was under way may have come to its end.
  if (lag <= lagBefore) throw new Error(`the lag was ${lagBefore}, and is ${lag}`);
  if (now.earliestLocal > now.latestTiered + 1) {
    throw new Error(`local records went before they were copied: ${JSON.stringify(now)}`);
  }
  const attempts = (await readFile(scene.attempts, 'utf8')).split('\n').length - 1;
  const figures = `lag ${lagBefore} → ${lag} records, ${attempts} calls of the store in ${OUTAGE_MS} ms`;
  if (attempts === 0) throw new Error(`nothing was tried: ${figures}`);
  if (attempts > MAX_ATTEMPTS) throw new Error(`it does not back off: ${figures}`);
  return figures;
}

async function checkColdRead({ connection, broker }: OutageScene): Promise<string> {
  // From the start: nobody has read it so far, no cache has it.
  const startedMs = performance.now();
  const { errorCode, records } = await fetchOnce(connection, OF, 0);
  const ms = (performance.now() - startedMs).toFixed(0);
  const isRight =
    errorCode === ErrorCode.KAFKA_STORAGE_ERROR ||
    (errorCode === ErrorCode.NONE && records.length === 0);
  if (!isRight) throw new Error(`error ${errorCode}, ${records.length} bytes`);
  const { latest } = await specialOffsets(broker.bootstrap, OF.topic, OF.partition);
  return `error ${errorCode} after ${ms} ms; the log ends at ${latest}`;
}

async function waitTiered(scene: OutageScene): Promise<string> {
  let offsets = await offsetsOf(scene);
  const end = offsets.latest;
  const ms = await waitUntil(
    'the segments to be tiered',
    async () => {
      // Something small now and then, so that what there is rolls.
      await scene.writer.write(1);
      offsets = await offsetsOf(scene);
      const isThere = offsets.latestTiered >= end && offsets.earliestLocal > 0;
      return isThere ? undefined : JSON.stringify(offsets);
    },
    { everyMs: 200, deadlineMs: 45_000 },
  );
  return `${offsets.latestTiered + 1} of ${offsets.latest} records tiered after ${ms.toFixed(0)} ms`;
}

async function offsetsOf({ broker }: OutageScene): Promise<SpecialOffsets> {
  return await specialOffsets(broker.bootstrap, OF.topic, OF.partition);
}
