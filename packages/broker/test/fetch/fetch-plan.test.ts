import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@logloft/clock';
import { LogManager, type PartitionLog } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FetchTarget, planFetch, releasePlan } from '../../src/fetch/fetch-plan.ts';
import { Partition } from '../../src/topics/partition.ts';
import { batchOf, fetchPartition } from '../support/requests.ts';

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
const SETTINGS = {
  maxMessageBytes: 1_000_000,
  minInsyncReplicas: 1,
  timestampBeforeMaxMs: Number.POSITIVE_INFINITY,
  timestampAfterMaxMs: Number.POSITIVE_INFINITY,
  tiered: true,
  discardsRemoteData: false,
};
const VALUE = 'x'.repeat(1000);
const CONFIG = { segmentBytes: 2500, remoteStorageEnable: true };

let directory: string;
let logs: LogManager;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-plan-'));
  logs = await open();
});

afterEach(async () => {
  await logs.close();
  await rm(directory, { recursive: true, force: true });
});

function open(): Promise<LogManager> {
  return LogManager.open({ directory }, { configOf: () => CONFIG }, { clock: systemClock });
}

/** A log of six batches in three segments. */
function filled(topic: string): PartitionLog {
  const log = logs.create(topic, 0, TOPIC_ID, CONFIG);
  for (let batch = 0; batch < 6; batch += 1) log.append(batchOf([VALUE]), { leaderEpoch: 0 });
  log.flushTurn();
  return log;
}

function target(log: PartitionLog, fetchOffset: number, partitionMaxBytes = 10_000): FetchTarget {
  const { topic } = log;
  const partition = new Partition({
    topic,
    topicId: TOPIC_ID,
    index: 0,
    log,
    leaderEpoch: 0,
    settings: SETTINGS,
  });
  return {
    request: fetchPartition({ fetchOffset, partitionMaxBytes }),
    partition,
    missingErrorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  };
}

function bounds(maxBytes: number) {
  return { maxBytes, limit: 'high-watermark', remoteReadsAllowed: () => true } as const;
}

describe('a response without room for more', () => {
  test('asks the remote tier for nothing that it cannot carry', async () => {
    const cold = filled('cold');
    // Segments of a tiered log stay until its leader epochs are stored.
    await cold.flush();
    cold.updateHighestOffsetInRemoteStorage(3);
    cold.updateConfig({ localRetentionBytes: 1 });
    expect(cold.applyRetention()).toBeGreaterThan(0);
    const plan = planFetch([target(cold, 0), target(cold, 1)], bounds(10_000));
    expect(plan.partitions.map(({ kind }) => kind)).toEqual(['remote', 'no-room']);
    releasePlan(plan);
  });

  test('reads nothing from the disk either', async () => {
    filled('a');
    filled('b');
    await logs.close();
    logs = await open();
    const all = ['a', 'b'].map((name) => logs.get(name, 0)).filter((log) => log !== undefined);
    const plan = planFetch(
      all.map((log) => target(log, 0)),
      bounds(1),
    );
    expect(plan.partitions.map(({ kind }) => kind)).toEqual(['local', 'no-room']);
    releasePlan(plan);
  });
});

test('a partition whose index cannot be read is a storage error, and the others are served', async () => {
  filled('good');
  filled('bad');
  await logs.close();
  const index = (await readdir(join(directory, 'bad-0'))).find(
    (name) => name === '00000000000000000000.index',
  );
  expect(index).toBeDefined();
  logs = await open();
  const path = join(directory, 'bad-0', '00000000000000000000.index');
  await rm(path);
  await mkdir(path);
  const [good, bad] = [logs.get('good', 0), logs.get('bad', 0)];
  if (good === undefined || bad === undefined) throw new Error('the logs were not loaded');
  const plan = planFetch([target(good, 0), target(bad, 0)], bounds(10_000));
  expect(plan.partitions).toMatchObject([
    { kind: 'local' },
    { kind: 'error', errorCode: ErrorCode.KAFKA_STORAGE_ERROR },
  ]);
  releasePlan(plan);
});
