import { mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode } from '@logloft/protocol';
import { Ledger } from '../crash/ledger.ts';
import type { TopicPartition } from '../crash/topic-partition.ts';
import { type VerifiedPartition, verifyPartition } from '../crash/verify-partition.ts';
import { BrokerProcess } from '../harness/broker-process.ts';
import type { Cleanup } from '../harness/cleanup.ts';
import { createTopic } from '../harness/create-topic.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { specialOffsets } from '../harness/special-offsets.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { LedgerWriter } from './ledger-writer.ts';

const MIB = 1024 * 1024;
const DISK_BYTES = 64 * MIB;
const BALLAST_BYTES = 32 * MIB;
const MAX_BATCHES = 2000;
const REFUSALS = 20;
const BATCHES_AFTER = 100;
const OF: TopicPartition = { topic: 'full', partition: 0 };

/** A broker whose whole disk, logs and store, is a small file system of memory. */
export async function checkFullDisk({ checks, cleanup }: CheckRun): Promise<void> {
  const disk = join(await temporaryDirectory(cleanup), 'disk');
  const problem = await mountDisk(disk, cleanup);
  if (problem !== undefined) {
    checks.skip('a full local disk', `a small file system cannot be mounted here: ${problem}`);
    return;
  }
  const ballast = join(disk, 'ballast');
  await writeFile(ballast, Buffer.alloc(BALLAST_BYTES));
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(disk, 'data'),
      properties: tieringProperties({
        'log.local.retention.ms': '-2',
        'log.local.retention.bytes': '-2',
      }),
    },
    cleanup,
  );
  await createTopic(broker.bootstrap, OF.topic, { configs: { 'remote.storage.enable': 'true' } });
  const ledger = new Ledger();
  const connection = await KafkaConnection.open(broker.bootstrap);
  cleanup.add(() => connection.close());
  const writer = await LedgerWriter.open(connection, OF, ledger);
  const verify = (): Promise<VerifiedPartition> =>
    verifyPartition(connection, OF, ledger.expected(OF));

  await checks.check('a full disk: producers get KAFKA_STORAGE_ERROR', async () => {
    await fillDisk(writer);
    return `after ${ledger.acknowledgedRecords} records`;
  });
  await checks.check(
    'a full disk: consumers go on, and have all that was acknowledged',
    async () => {
      const { records } = await verify();
      return `${records} records`;
    },
  );
  await checks.check('room again: producing works again', async () => {
    await unlink(ballast);
    const ms = await waitUntil('a batch to be taken', async () => {
      const errorCode = await writer.send();
      return errorCode === ErrorCode.NONE ? undefined : `error ${errorCode}`;
    });
    await writer.write(BATCHES_AFTER);
    return `after ${ms.toFixed(0)} ms`;
  });
  await checks.check('room again: copying goes on', () => waitCopied(broker));
  await checks.check('room again: nothing is lost and nothing is there twice', async () => {
    const { records } = await verify();
    return `${records} records`;
  });
  await checks.check('a full disk, then kill -9 and restart: nothing acknowledged is lost', () =>
    verifyAfterRestart(broker, ledger),
  );
  await checks.check('it stops cleanly', () => broker.stop());
}

/** @returns why it cannot be, or `undefined` when it stands */
async function mountDisk(disk: string, cleanup: Cleanup): Promise<string | undefined> {
  await mkdir(disk);
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'logloft-e2e', disk];
  try {
    await runCommand('mount', options);
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error);
  }
  cleanup.add(async () => {
    await runCommand('umount', ['-l', disk]);
  });
  return undefined;
}

async function fillDisk(writer: LedgerWriter): Promise<void> {
  let refused = 0;
  for (let index = 0; index < MAX_BATCHES && refused < REFUSALS; index += 1) {
    const errorCode = await writer.send();
    if (errorCode === ErrorCode.KAFKA_STORAGE_ERROR) refused += 1;
    else if (errorCode !== ErrorCode.NONE) throw new Error(`answered with error ${errorCode}`);
  }
  if (refused < REFUSALS) throw new Error(`${MAX_BATCHES} batches, and the disk is not full`);
}

async function waitCopied({ bootstrap }: BrokerProcess): Promise<string> {
  const before = await specialOffsets(bootstrap, OF.topic, OF.partition);
  let offsets = before;
  const ms = await waitUntil(
    'the segments to be copied',
    async () => {
      offsets = await specialOffsets(bootstrap, OF.topic, OF.partition);
      // All but the active segment, which holds less than half of what there is.
      return offsets.latestTiered > offsets.latest / 2 ? undefined : JSON.stringify(offsets);
    },
    { everyMs: 200, deadlineMs: 45_000 },
  );
  return `${offsets.latestTiered + 1} of ${offsets.latest} records after ${ms.toFixed(0)} ms`;
}

async function verifyAfterRestart(broker: BrokerProcess, ledger: Ledger): Promise<string> {
  await broker.kill();
  const ms = await broker.restart();
  const connection = await KafkaConnection.open(broker.bootstrap);
  try {
    const { records } = await verifyPartition(connection, OF, ledger.expected(OF));
    return `${records} records, ready in ${ms.toFixed(0)} ms`;
  } finally {
    connection.close();
  }
}
