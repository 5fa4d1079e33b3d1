import { ErrorCode, produceApi } from '@logloft/protocol';
import { BATCH_FIELD, BatchBuilder } from '@logloft/records';
import { fetchSome } from '../crash/partition-fetcher.ts';
import type { TopicPartition } from '../crash/topic-partition.ts';
import { createTopic } from '../harness/create-topic.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { assertGrowth, whileMeasuring } from './broker-memory.ts';
import { type Bomb, decompressionBombs, sealBatch } from './decompression-bombs.ts';
import { requestFrame } from './frames.ts';
import { attack, type HostileScene } from './hostile-scene.ts';
import { listOffset, produceAccepted, produceBatch } from './partition-client.ts';
import { RawConnection } from './raw-connection.ts';

const MIB = 1024 * 1024;
const LATEST = -1;
const BATCHES: TopicPartition = { topic: 'hostile-batches', partition: 0 };
/** What one look-up by time may take: what is read of a batch at most (64 MiB), once joined, once in pieces. */
const MAX_BOMB_GROWTH_BYTES = 256 * MIB;

/** A batch that is not as it says, and the answers that are right for it. */
interface BadBatch {
  readonly name: string;
  readonly spoil: (batch: Buffer) => Buffer | null;
  readonly answers: readonly number[];
}

const {
  CORRUPT_MESSAGE,
  INVALID_RECORD,
  INVALID_TIMESTAMP,
  MESSAGE_TOO_LARGE,
  UNSUPPORTED_COMPRESSION_TYPE,
} = ErrorCode;

const BAD_BATCHES: readonly BadBatch[] = [
  { name: 'a wrong CRC', spoil: flipLastByte, answers: [CORRUPT_MESSAGE] },
  {
    name: 'a length beyond its end',
    spoil: (batch) => withInt32(batch, BATCH_FIELD.batchLength, 0x7fff_ffff),
    // Its size is looked at before its checksum.
    answers: [CORRUPT_MESSAGE, MESSAGE_TOO_LARGE],
  },
  {
    name: 'a length that is too small',
    spoil: (batch) => withInt32(batch, BATCH_FIELD.batchLength, 20),
    answers: [CORRUPT_MESSAGE],
  },
  {
    name: 'a negative length',
    spoil: (batch) => withInt32(batch, BATCH_FIELD.batchLength, -1),
    answers: [CORRUPT_MESSAGE],
  },
  {
    name: 'a cut end',
    spoil: (batch) => batch.subarray(0, -3),
    answers: [CORRUPT_MESSAGE],
  },
  {
    name: 'another magic',
    spoil: (batch) => {
      batch.writeInt8(7, BATCH_FIELD.magic);
      return sealed(batch);
    },
    answers: [CORRUPT_MESSAGE, INVALID_RECORD],
  },
  {
    name: 'a negative record count',
    spoil: (batch) => sealed(withInt32(batch, BATCH_FIELD.recordCount, -5)),
    answers: [INVALID_RECORD],
  },
  {
    name: 'a record count of 2^31 - 1',
    spoil: (batch) => sealed(withInt32(batch, BATCH_FIELD.recordCount, 0x7fff_ffff)),
    answers: [INVALID_RECORD],
  },
  {
    name: 'a last offset delta that does not fit the count',
    spoil: (batch) => sealed(withInt32(batch, BATCH_FIELD.lastOffsetDelta, 1000)),
    answers: [INVALID_RECORD],
  },
  {
    name: 'a negative last offset delta',
    spoil: (batch) => sealed(withInt32(batch, BATCH_FIELD.lastOffsetDelta, -1)),
    answers: [INVALID_RECORD],
  },
  {
    name: 'a compression that does not exist',
    spoil: (batch) => withAttributes(batch, 7),
    answers: [UNSUPPORTED_COMPRESSION_TYPE, INVALID_RECORD],
  },
  {
    name: 'a timestamp type that only the broker sets',
    spoil: (batch) => withAttributes(batch, 0x08),
    answers: [INVALID_TIMESTAMP],
  },
  {
    name: 'the control bit',
    spoil: (batch) => withAttributes(batch, 0x20),
    answers: [INVALID_RECORD],
  },
  { name: 'no bytes at all', spoil: () => Buffer.alloc(0), answers: [INVALID_RECORD] },
  { name: 'null', spoil: () => null, answers: [INVALID_RECORD] },
  {
    name: 'a second batch behind it',
    spoil: (batch) => Buffer.concat([batch, batch]),
    answers: [INVALID_RECORD, CORRUPT_MESSAGE],
  },
];

/** Batches that lie: each has its error, nothing of them is stored, and the connection goes on. */
export async function checkBadBatches(scene: HostileScene): Promise<void> {
  const { bootstrap } = scene.broker;
  await createTopic(bootstrap, BATCHES.topic);
  const connection = await KafkaConnection.open(bootstrap);
  try {
    for (const one of BAD_BATCHES) await checkBadBatch(scene, connection, one);
  } finally {
    connection.close();
  }
  for (const bomb of decompressionBombs(Date.now())) await checkBomb(scene, bomb);
  await checkWithoutAcks(scene);
}

async function checkBadBatch(
  scene: HostileScene,
  connection: KafkaConnection,
  { name, spoil, answers }: BadBatch,
): Promise<void> {
  await attack(
    scene,
    `a batch with ${name}: error ${answers.join(' or ')}, nothing stored`,
    async () => {
      const before = await listOffset(connection, BATCHES, LATEST);
      const { errorCode, baseOffset } = await produceBatch(
        connection,
        BATCHES,
        spoil(soundBatch()),
      );
      if (!answers.includes(errorCode) || baseOffset !== -1) {
        throw new Error(`answered with error ${errorCode}, base offset ${baseOffset}`);
      }
      const after = await listOffset(connection, BATCHES, LATEST);
      if (after.offset !== before.offset) throw new Error('something of it was stored');
      await produceAccepted(connection, BATCHES, soundBatch());
    },
  );
}

async function checkBomb(scene: HostileScene, { name, batch, expands }: Bomb): Promise<void> {
  const of: TopicPartition = { topic: `hostile-bomb-${name}`, partition: 0 };
  await createTopic(scene.broker.bootstrap, of.topic, {
    configs: { 'segment.bytes': String(2 * MIB) },
  });
  const title = `a ${name} batch of ${batch.length} bytes that would be ${expands} bytes: stored as it is, and looked into with bounds`;
  await attack(scene, title, async () => {
    using connection = await KafkaConnection.open(scene.broker.bootstrap);
    const sent = Buffer.from(batch);
    const offset = await produceAccepted(connection, of, batch);
    const memory = await whileMeasuring(scene.pid, async () => {
      const found = await listOffset(connection, of, Date.now() - 3_600_000);
      const isError =
        found.errorCode > 0 && found.errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      if (!isError) throw new Error(`ListOffsets by time answered ${JSON.stringify(found)}`);
    });
    const fetched = await fetchSome(connection, of, offset);
    if (fetched === 'out-of-range') throw new Error('it cannot be fetched');
    const contents = (bytes: Buffer): Buffer => bytes.subarray(BATCH_FIELD.magic);
    if (!contents(fetched.records).equals(contents(sent)))
      throw new Error('it is not as it was sent');
    await produceAccepted(connection, of, soundBatch());
    return assertGrowth(memory, MAX_BOMB_GROWTH_BYTES);
  });
}

async function checkWithoutAcks(scene: HostileScene): Promise<void> {
  const cases = [
    { name: 'a wrong CRC', topic: BATCHES.topic, records: flipLastByte(soundBatch()) },
    { name: 'an invalid topic', topic: '../nowhere', records: soundBatch() },
  ];
  for (const { name, topic, records } of cases) {
    await attack(scene, `acks=0 with ${name}: closed with one log line`, async () => {
      const connection = await RawConnection.open(scene.broker.bootstrap);
      connection.send(
        requestFrame(
          produceApi,
          { version: 9, correlationId: 1 },
          {
            transactionalId: null,
            acks: 0,
            timeoutMs: 1000,
            topicData: [{ name: topic, partitionData: [{ index: 0, records }] }],
          },
        ),
      );
      await connection.closedByBroker();
      if (connection.pendingFrames > 0) throw new Error('it was answered');
      await scene.lines.expectClosed(1);
    });
  }
}

function soundBatch(): Buffer {
  const builder = new BatchBuilder();
  for (const value of ['one', 'two', 'three']) builder.append({ timestamp: Date.now(), value });
  return builder.build();
}

function flipLastByte(batch: Buffer): Buffer {
  const at = batch.length - 1;
  batch.writeUInt8(batch.readUInt8(at) ^ 1, at);
  return batch;
}

function withInt32(batch: Buffer, at: number, value: number): Buffer {
  batch.writeInt32BE(value, at);
  return batch;
}

function withAttributes(batch: Buffer, attributes: number): Buffer {
  batch.writeInt16BE(attributes, BATCH_FIELD.attributes);
  return sealed(batch);
}

function sealed(batch: Buffer): Buffer {
  sealBatch(batch);
  return batch;
}
