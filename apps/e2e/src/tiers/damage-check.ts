import { join } from 'node:path';
import { ErrorCode } from '@logloft/protocol';
import type { ObjectStore } from '@logloft/remote-storage';
import { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import { fetchPartitions, type PartitionAnswer } from '../harness/fetch-partitions.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { produceBytes } from '../harness/produce-bytes.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { specialOffsets } from '../harness/special-offsets.ts';
import { openBucket, type StoreServer, storeProperties } from '../harness/stores/store-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { SEGMENT_BYTES, tieringProperties } from '../harness/tiering-properties.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { DAMAGES, type Damage, inflict } from './damages.ts';
import { sealedLayout } from './layout-properties.ts';

const TOPIC = 'damaged';
const FETCH_VERSION = 12;
const MAX_WAIT_MS = 5_000;
/** One for each damage, one for the wrong key, one that stays sound, and the active one. */
const SEGMENTS = DAMAGES.length + 3;

interface DamageScene extends CheckRun {
  readonly server: StoreServer;
  readonly broker: BrokerProcess;
  readonly bucket: ObjectStore;
  /** Keys of segments without what follows the last dot, by offset; nobody has read them. */
  readonly segments: readonly SegmentObjects[];
}

interface SegmentObjects {
  readonly path: string;
  readonly baseOffset: number;
}

/** Objects of segments are deleted and altered one at a time, and the broker says what is wrong. */
export async function checkDamages(
  run: CheckRun,
  server: StoreServer,
  layout: Readonly<Record<string, string>>,
): Promise<void> {
  const scene = await openScene(run, server, layout);
  const { checks, broker } = scene;
  for (const [index, damage] of DAMAGES.entries()) {
    const segment = scene.segments[index];
    if (segment === undefined) throw new Error(`there are only ${scene.segments.length} segments`);
    await checks.check(`${server.flag}: ${damage.what}: a typed error, and sound again after`, () =>
      checkDamage(scene, segment, damage),
    );
  }
  await checks.check(`${server.flag}: a broker with another key says so, and goes on`, () =>
    checkOtherKey(scene, layout),
  );
  await checks.check(`${server.flag}: it stops cleanly`, () => broker.stop());
}

async function openScene(
  run: CheckRun,
  server: StoreServer,
  layout: Readonly<Record<string, string>>,
): Promise<DamageScene> {
  const { cleanup, checks } = run;
  const directory = await temporaryDirectory(cleanup);
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(directory, 'data'),
      remoteStorage: server.flag,
      properties: brokerProperties(server, layout),
    },
    cleanup,
  );
  const bucket = await openBucket(server);
  cleanup.add(async () => {
    await bucket[Symbol.asyncDispose]();
  });
  await createTopic(broker.bootstrap, TOPIC, { configs: { 'remote.storage.enable': 'true' } });
  await produceBytes(broker.bootstrap, {
    topic: TOPIC,
    partitions: 1,
    bytes: SEGMENTS * SEGMENT_BYTES,
  });
  await checks.check(
    `${server.flag}: all closed segments are in the store, and gone locally`,
    async () => {
      const ms = await waitUntil('the segments to be tiered', async () => {
        const offsets = await specialOffsets(broker.bootstrap, TOPIC, 0);
        const segments = (await segmentsIn(bucket)).length;
        const isTiered =
          segments >= SEGMENTS - 1 && offsets.earliestLocal === offsets.latestTiered + 1;
        return isTiered ? undefined : JSON.stringify({ ...offsets, segments });
      });
      return `${ms.toFixed(0)} ms`;
    },
  );
  const segments = await segmentsIn(bucket);
  return { ...run, server, broker, bucket, segments };
}

function brokerProperties(
  server: StoreServer,
  layout: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return tieringProperties({ ...storeProperties(server), ...layout });
}

async function segmentsIn(bucket: ObjectStore): Promise<SegmentObjects[]> {
  const found: SegmentObjects[] = [];
  for await (const { key } of bucket.list({ prefix: `${TOPIC}-` })) {
    const match = /\/(?<offset>\d{20})-[\w-]{22}\.rsm-manifest$/.exec(key);
    if (match === null) continue;
    const baseOffset = Number(match.groups?.['offset']);
    found.push({ path: key.slice(0, key.lastIndexOf('.')), baseOffset });
  }
  return found.toSorted((a, b) => a.baseOffset - b.baseOffset);
}

async function checkDamage(
  { broker, bucket }: DamageScene,
  { path, baseOffset }: SegmentObjects,
  damage: Damage,
): Promise<string> {
  const key = `${path}.${damage.object}`;
  const undo = await inflict(bucket, key, damage);
  const answer = await fetchAt(broker, baseOffset);
  if (answer.errorCode !== ErrorCode.KAFKA_STORAGE_ERROR || answer.records !== 0) {
    throw new Error(`expected KAFKA_STORAGE_ERROR, got ${JSON.stringify(answer)}`);
  }
  const told = await toldOf(broker, baseOffset);
  if (told.code !== damage.code || !told.message.includes(path)) {
    throw new Error(
      `expected ${damage.code} with ${path}, the broker logged ${JSON.stringify(told)}`,
    );
  }
  await undo();
  await waitUntil(
    'the segment to be readable again',
    async () => {
      const again = await fetchAt(broker, baseOffset);
      return again.errorCode === ErrorCode.NONE && again.records > 0
        ? undefined
        : JSON.stringify(again);
    },
    { deadlineMs: 15_000 },
  );
  return told.message.replace(path, '…');
}

/** Its data key cannot be unwrapped: nothing is lost, and new segments are copied. */
async function checkOtherKey(
  { broker, segments, server, cleanup }: DamageScene,
  layout: Readonly<Record<string, string>>,
): Promise<string> {
  const unread = segments[DAMAGES.length];
  if (unread === undefined) throw new Error('no segment is left');
  await broker.stop();
  const directory = await temporaryDirectory(cleanup);
  const other = await sealedLayout(directory, 'other');
  await broker.restart({ properties: brokerProperties(server, other) });
  const answer = await fetchAt(broker, unread.baseOffset);
  if (answer.errorCode !== ErrorCode.KAFKA_STORAGE_ERROR) {
    throw new Error(`expected KAFKA_STORAGE_ERROR, got ${JSON.stringify(answer)}`);
  }
  const told = await toldOf(broker, unread.baseOffset);
  if (told.code !== 'LOGLOFT_REMOTE_INVALID_CONFIGURATION') {
    throw new Error(`expected LOGLOFT_REMOTE_INVALID_CONFIGURATION, got ${JSON.stringify(told)}`);
  }
  await produceBytes(broker.bootstrap, { topic: TOPIC, partitions: 1, bytes: 2 * SEGMENT_BYTES });
  await broker.stop();
  await broker.restart({ properties: brokerProperties(server, layout) });
  const again = await fetchAt(broker, unread.baseOffset);
  if (again.errorCode !== ErrorCode.NONE || again.records === 0)
    throw new Error(JSON.stringify(again));
  return told.message;
}

async function fetchAt(broker: BrokerProcess, offset: number): Promise<PartitionAnswer> {
  const connection = await KafkaConnection.open(broker.bootstrap);
  try {
    const { answers } = await fetchPartitions(connection, {
      version: FETCH_VERSION,
      maxWaitMs: MAX_WAIT_MS,
      minBytes: 1,
      partitions: [{ topic: TOPIC, partition: 0, offset }],
    });
    const [answer] = answers;
    if (answer === undefined) throw new Error('no answer for the partition');
    return answer;
  } finally {
    connection.close();
  }
}

interface LoggedError {
  readonly code: string;
  readonly message: string;
}

/** The error that the broker logged for a read of that offset last. */
async function toldOf(broker: BrokerProcess, offset: number): Promise<LoggedError> {
  let found: LoggedError | undefined;
  await waitUntil('the log line of the failed read', () => {
    const line = broker.log.findLast(
      ({ message, fields }) =>
        message === 'A read from the remote tier failed' && fields['offset'] === offset,
    );
    found = line?.fields['error'] as LoggedError | undefined;
    return found === undefined ? 'nothing' : undefined;
  });
  if (found === undefined) throw new Error('nothing was logged');
  return found;
}
