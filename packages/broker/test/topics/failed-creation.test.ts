import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPartitionsApi, ErrorCode } from '@logloft/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { createTopics, newTopic } from '../support/admin-requests.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { batchOf, produce, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-topics-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Puts a file where the directory of a partition has to be; the result takes it away. */
async function block(partition: string): Promise<() => Promise<void>> {
  const path = join(directory, partition);
  await writeFile(path, '');
  return () => rm(path);
}

test('a topic that the disk has no place for is refused, leaves nothing, and can be made once there is', async () => {
  await using broker = await startBroker({ directory });
  await using client = await WireClient.connect(broker);
  const unblock = await block('t-2');
  const create = async () => (await createTopics(client, [newTopic('t', { numPartitions: 4 })]))[0];
  const refused = await create();
  expect(refused?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  expect(refused?.errorMessage).not.toBe(null);
  expect(broker.topics).not.toContain('t');
  expect((await topicMetadata(client, 't', { allowAutoTopicCreation: false })).errorCode).toBe(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  );
  await unblock();
  expect((await create())?.errorCode).toBe(0);
  for (const partition of [0, 1, 2, 3]) {
    expect(await produce(client, 't', batchOf(['x']), { partition })).toMatchObject({
      errorCode: 0,
      baseOffset: 0,
    });
  }
});

test('nothing of a refused topic is found by the next start', async () => {
  const broker = await startBroker({ directory });
  await block('t-1');
  await expect(broker.createTopic({ name: 't', partitions: 2 })).rejects.toMatchObject({
    code: 'LOGLOFT_BROKER_TOPIC',
  });
  await broker.close();
  const logger = new RecordingLogger();
  await using again = await startBroker({ directory, logger });
  expect(again.topics).toEqual([]);
  // The file is nobody's, and said to be.
  expect(logger.complaints).toHaveLength(1);
  // Files go in the background.
  await vi.waitFor(async () => {
    expect((await readdir(directory)).filter((name) => name.startsWith('t-0'))).toEqual([]);
  });
});

test('partitions that the disk has no place for are refused, and the topic goes on as it was', async () => {
  await using broker = await startBroker({ directory, topics: [{ name: 't' }] });
  await using client = await WireClient.connect(broker);
  const unblock = await block('t-2');
  const grow = async () => {
    const answer = await client.call(createPartitionsApi, 3, {
      topics: [{ name: 't', count: 3, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    });
    return answer.results[0]?.errorCode;
  };
  expect(await grow()).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  expect((await topicMetadata(client, 't')).partitions).toHaveLength(1);
  expect((await produce(client, 't', batchOf(['x']))).errorCode).toBe(0);
  await unblock();
  expect(await grow()).toBe(0);
  expect((await topicMetadata(client, 't')).partitions).toHaveLength(3);
  expect((await produce(client, 't', batchOf(['x']), { partition: 2 })).errorCode).toBe(0);
});
