import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@logloft/clock';
import { type FileSystem, type LogFile, LogManager, nodeFileSystem } from '@logloft/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BrokerConfigs } from '../../src/cluster/broker-configs.ts';
import { ClusterStore } from '../../src/cluster/cluster-store.ts';
import type { GroupCoordinator } from '../../src/group/group-coordinator.ts';
import { silentLogger } from '../../src/logger.ts';
import { Closers } from '../../src/start/closers.ts';
import { openCoordinator } from '../../src/start/open-coordinator.ts';
import { TopicManager } from '../../src/topics/topic-manager.ts';

const surroundings = { clock: systemClock, random: seededRandom(1), logger: silentLogger };
const METADATA = 'm'.repeat(4000);
let directory: string;
let cluster: ClusterStore;
/** Writes that are not synced, syncs and renames of segments of the offsets topic, in order. */
let calls: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-offsets-'));
  cluster = await ClusterStore.open({ nodeId: 0 }, surroundings);
  calls = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function noted(file: LogFile): LogFile {
  const { path } = file;
  if (!/__consumer_offsets.*\.log$/.test(path)) return file;
  return {
    path,
    size: () => file.size(),
    writev: (buffers, position) => {
      calls.push(`write ${path}`);
      return file.writev(buffers, position);
    },
    read: (target, at, length, position) => file.read(target, at, length, position),
    readAsync: (target, at, length, position) => file.readAsync(target, at, length, position),
    truncate: (size) => file.truncate(size),
    truncateAsync: (size) => file.truncateAsync(size),
    sync: async () => {
      await file.sync();
      calls.push(`sync ${path}`);
    },
    close: () => file.close(),
  };
}

const fileSystem: FileSystem = {
  ...nodeFileSystem,
  openSync: (path, mode) => noted(nodeFileSystem.openSync(path, mode)),
  open: async (path) => noted(await nodeFileSystem.open(path)),
  renameSync: (from, to) => {
    if (to.endsWith('.log.deleted')) calls.push(`remove ${from}`);
    nodeFileSystem.renameSync(from, to);
  },
};

/** One life of the parts of a broker that keep offsets. */
async function inLife(work: (coordinator: GroupCoordinator) => Promise<void>): Promise<void> {
  const closers = new Closers();
  const config = new Map([['offsets.topic.num.partitions', '1']]);
  const configs = new BrokerConfigs({ static: config, nodeId: 0, cluster });
  const logs = await LogManager.open(
    { directory, fileSystem },
    { configOf: () => undefined },
    surroundings,
  );
  closers.add(logs, (opened) => opened.close());
  const topics = await TopicManager.open({ cluster, logs, configs, ...surroundings });
  closers.add(topics, (opened) => opened.close());
  if (topics.byName('t') === undefined) {
    await topics.create({ name: 't', partitions: 1, overrides: new Map() });
  }
  const storage = {
    cluster,
    configs,
    logs,
    topics,
    logDirectory: directory,
    space: () => Promise.resolve({ totalBytes: -1, usableBytes: -1 }),
  };
  try {
    await work(
      await openCoordinator(storage, surroundings, { closers, forgetMembersOnDisconnect: false }),
    );
  } finally {
    await closers.close();
  }
}

test('what a rewriting of the offsets keeps is on the disk before what it replaces goes', async () => {
  await inLife(async (coordinator) => {
    for (let offset = 0; offset < 400; offset += 1) {
      const { topics } = await coordinator.commitOffsets({
        groupId: 'group',
        generationId: -1,
        memberId: '',
        topics: [{ name: 't', partitions: [{ index: 0, offset, metadata: METADATA }] }],
      });
      expect(topics[0]?.partitions[0]?.error).toBe('NONE');
    }
  });
  calls = [];
  await inLife(async (coordinator) => {
    const { topics } = await coordinator.fetchOffsets({ groupId: 'group', topics: null });
    expect(topics[0]?.partitions[0]).toMatchObject({ offset: 399, metadata: METADATA });
    const removal = calls.findIndex((call) => call.startsWith('remove'));
    expect(removal).toBeGreaterThan(0);
    const before = calls.slice(0, removal);
    const written = before.findLast((call) => call.startsWith('write'))?.slice('write '.length);
    expect(written).toBeDefined();
    expect(before.lastIndexOf(`sync ${written}`)).toBeGreaterThan(
      before.lastIndexOf(`write ${written}`),
    );
  });
});
