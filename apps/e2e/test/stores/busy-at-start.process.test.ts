import { ErrorCode } from '@logloft/protocol';
import { type S3Stub, startS3Stub } from '@logloft/stub-servers/s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BrokerProcess } from '../../src/harness/broker-process.ts';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { createTopic } from '../../src/harness/create-topic.ts';
import { fetchPartitions, type PartitionAnswer } from '../../src/harness/fetch-partitions.ts';
import { KafkaConnection } from '../../src/harness/kafka-connection.ts';
import { produceBytes } from '../../src/harness/produce-bytes.ts';
import { specialOffsets } from '../../src/harness/special-offsets.ts';
import { temporaryDirectory } from '../../src/harness/temporary-directory.ts';
import { tieringProperties } from '../../src/harness/tiering-properties.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// S30 of the known cases: a store that said "slow down" while the broker started killed it.

const TOPIC = 'tiered';
const BUSY = {
  kind: 'answer',
  status: 503,
  code: 'SlowDown',
  headers: { 'Retry-After': '0' },
} as const;

let cleanup: Cleanup;
let stub: S3Stub;
beforeEach(async () => {
  cleanup = new Cleanup();
  stub = await startS3Stub({ buckets: ['loft'] });
  cleanup.add(() => stub.close());
});
afterEach(() => cleanup.run());

async function startBroker(): Promise<BrokerProcess> {
  const { accessKeyId, secretAccessKey } = stub.credentials;
  return await BrokerProcess.start(
    {
      dataDirectory: await temporaryDirectory(cleanup),
      remoteStorage: 's3',
      properties: tieringProperties({
        'remote.log.manager.task.retry.backoff.max.ms': '1000',
        'rsm.config.storage.s3.bucket.name': 'loft',
        'rsm.config.storage.s3.region': stub.region,
        'rsm.config.storage.s3.endpoint.url': stub.url,
        'rsm.config.storage.aws.access.key.id': accessKeyId,
        'rsm.config.storage.aws.secret.access.key': secretAccessKey,
      }),
    },
    cleanup,
  );
}

async function fill(broker: BrokerProcess): Promise<void> {
  await createTopic(broker.bootstrap, TOPIC, { configs: { 'remote.storage.enable': 'true' } });
  await produceBytes(broker.bootstrap, { topic: TOPIC, partitions: 1, bytes: 3 * 1024 * 1024 });
}

async function untilTiered(broker: BrokerProcess): Promise<void> {
  await waitUntil('the segments to be in the store alone', async () => {
    const found = await specialOffsets(broker.bootstrap, TOPIC, 0);
    const isTiered = found.latestTiered > 0 && found.earliestLocal === found.latestTiered + 1;
    return isTiered ? undefined : JSON.stringify(found);
  });
}

async function fetchAt(broker: BrokerProcess, offset: number): Promise<PartitionAnswer> {
  const connection = await KafkaConnection.open(broker.bootstrap);
  try {
    const { answers } = await fetchPartitions(connection, {
      version: 12,
      maxWaitMs: 1_000,
      minBytes: 1,
      partitions: [{ topic: TOPIC, partition: 0, offset }],
    });
    const [answer] = answers;
    if (answer === undefined) throw new Error('the answer lacks the partition');
    return answer;
  } finally {
    connection.close();
  }
}

async function untilRead(broker: BrokerProcess, offset: number): Promise<void> {
  await waitUntil(`offset ${offset} to be read`, async () => {
    const { errorCode, records } = await fetchAt(broker, offset);
    return errorCode === ErrorCode.NONE && records > 0 ? undefined : `error ${errorCode}`;
  });
}

test('the first twenty requests after a start may all be refused: the broker serves, and tiers in the end (S30)', async () => {
  const busy = stub.failures.add({ times: 20, action: BUSY });
  const broker = await startBroker();
  await fill(broker);
  await untilTiered(broker);
  expect(busy.fired).toBe(20);
  await untilRead(broker, 0);
  await broker.stop();
});

test('a broker that has segments in a store starts while that refuses everything (S30, 132)', async () => {
  const broker = await startBroker();
  await fill(broker);
  await untilTiered(broker);
  await broker.stop();
  const busy = stub.failures.add({ action: BUSY });
  await broker.restart();
  const { earliestLocal, latest } = await specialOffsets(broker.bootstrap, TOPIC, 0);
  expect(latest).toBeGreaterThan(earliestLocal);
  await untilRead(broker, earliestLocal);
  // Cold data is missing, or said to be out of reach; it is never said to be gone.
  const { errorCode, records } = await fetchAt(broker, 0);
  expect([
    ErrorCode.NONE,
    ErrorCode.KAFKA_STORAGE_ERROR,
    ErrorCode.REPLICA_NOT_AVAILABLE,
  ]).toContain(errorCode);
  expect(records).toBe(0);
  busy.remove();
  await untilRead(broker, 0);
  await broker.stop();
});
