import { readdir } from 'node:fs/promises';
import {
  createTopicsApi,
  deleteTopicsApi,
  ErrorCode,
  metadataApi,
  offsetCommitApi,
  offsetFetchApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { BatchBuilder, BatchCursor, readRecords } from '@logloft/records';
import { fetchSome } from '../crash/partition-fetcher.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { attack, type HostileScene } from './hostile-scene.ts';
import { produceAccepted } from './partition-client.ts';

const ESCAPES = [
  '../escape',
  '../../escape',
  '..',
  '.',
  'a/../../escape',
  '/escape',
  'a\0b',
  'a\\b',
];
const ORDINARY = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

/** Names that lead out of the directory, and names that only look strange to JavaScript. */
export async function checkOddNames(scene: HostileScene): Promise<void> {
  const connection = await KafkaConnection.open(scene.broker.bootstrap);
  try {
    for (const name of ESCAPES) {
      await attack(scene, `topic name ${JSON.stringify(name)}: INVALID_TOPIC_EXCEPTION`, () =>
        checkEscape(scene, connection, name),
      );
    }
    for (const name of ORDINARY) {
      await attack(scene, `topic and group ${name}: ordinary names that work`, () =>
        checkOrdinary(connection, name),
      );
    }
  } finally {
    connection.close();
  }
}

async function checkEscape(
  { directory }: HostileScene,
  connection: KafkaConnection,
  name: string,
): Promise<void> {
  const before = await listing(directory);
  const created = await createTopics(connection, name);
  if (created !== ErrorCode.INVALID_TOPIC_EXCEPTION) throw new Error(`CreateTopics: ${created}`);
  const { topics } = await connection.request(metadataApi, 9, {
    topics: [{ name, topicId: ZERO_UUID }],
    allowAutoTopicCreation: true,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  });
  const automatic = topics[0]?.errorCode;
  if (automatic !== ErrorCode.INVALID_TOPIC_EXCEPTION) throw new Error(`Metadata: ${automatic}`);
  const after = await listing(directory);
  if (after !== before) throw new Error(`files appeared: ${after}`);
}

/** What is around the broker's directory, and the partitions in it. */
async function listing(directory: string): Promise<string> {
  const outside = await readdir(directory);
  const inside = await readdir(`${directory}/data`);
  const logs = await readdir(`${directory}/data/log`);
  return [...outside, ...inside, ...logs.filter((name) => name.includes('escape'))]
    .toSorted()
    .join();
}

async function checkOrdinary(connection: KafkaConnection, name: string): Promise<string> {
  const of = { topic: name, partition: 0 };
  const created = await createTopics(connection, name);
  if (created !== ErrorCode.NONE) throw new Error(`CreateTopics: ${created}`);
  const builder = new BatchBuilder();
  builder.append({ timestamp: Date.now(), value: `for ${name}` });
  const offset = await produceAccepted(connection, of, builder.build());
  const fetched = await fetchSome(connection, of, offset);
  if (fetched === 'out-of-range') throw new Error('the record is not there');
  const cursor = new BatchCursor(fetched.records);
  const [record] = cursor.next() ? readRecords(fetched.records, cursor.position) : [];
  if (record?.value?.toString() !== `for ${name}`) throw new Error('another record came back');
  await checkGroup(connection, name);
  const { responses } = await connection.request(deleteTopicsApi, 6, {
    topics: [{ name, topicId: ZERO_UUID }],
    topicNames: [],
    timeoutMs: 10_000,
  });
  if (responses[0]?.errorCode !== ErrorCode.NONE) {
    throw new Error(`DeleteTopics: ${responses[0]?.errorCode}`);
  }
  return 'created, produced, fetched, committed, deleted';
}

async function checkGroup(connection: KafkaConnection, name: string): Promise<void> {
  const { topics } = await connection.request(offsetCommitApi, 8, {
    groupId: name,
    generationIdOrMemberEpoch: -1,
    memberId: '',
    groupInstanceId: null,
    retentionTimeMs: -1,
    topics: [
      {
        name,
        partitions: [
          {
            partitionIndex: 0,
            committedOffset: 1,
            committedLeaderEpoch: -1,
            commitTimestamp: -1,
            committedMetadata: name,
          },
        ],
      },
    ],
  });
  const committed = topics[0]?.partitions[0]?.errorCode;
  if (committed !== ErrorCode.NONE) throw new Error(`OffsetCommit: ${committed}`);
  const answer = await connection.request(offsetFetchApi, 7, {
    groupId: name,
    topics: [{ name, partitionIndexes: [0] }],
    groups: [],
    requireStable: false,
  });
  const found = answer.topics[0]?.partitions[0];
  if (found?.committedOffset !== 1 || found.metadata !== name) {
    throw new Error(`OffsetFetch: ${JSON.stringify(answer)}`);
  }
}

async function createTopics(
  connection: KafkaConnection,
  name: string,
): Promise<number | undefined> {
  const { topics } = await connection.request(createTopicsApi, 7, {
    topics: [{ name, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }],
    timeoutMs: 10_000,
    validateOnly: false,
  });
  return topics[0]?.errorCode;
}
