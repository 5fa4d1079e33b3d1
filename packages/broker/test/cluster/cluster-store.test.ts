import { appendFile, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@logloft/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClusterEvent } from '../../src/cluster/cluster-event.ts';
import { ClusterState } from '../../src/cluster/cluster-state.ts';
import { ClusterStore } from '../../src/cluster/cluster-store.ts';
import { FileJournal } from '../../src/cluster/journal.ts';
import { silentLogger } from '../../src/logger.ts';

let directory: string;
let path: string;
const context = { random: seededRandom(1), logger: silentLogger };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-cluster-'));
  path = join(directory, 'cluster.journal');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function ignore(): void {
  // The state is read again from the file.
}

function created(name: string, topicId: string, partitions = 1): ClusterEvent {
  return { type: 'topic-created', name, topicId, partitions, internal: false, configs: [] };
}

describe('the cluster over restarts', () => {
  test('cluster id, topics with their ids, configurations and partitions stay; the leader epoch grows', async () => {
    const first = await ClusterStore.open({ path, nodeId: 3 }, context);
    const { clusterId } = first;
    await first.change(created('constructor', 'id-1', 2));
    await first.change(created('__proto__', 'id-2'));
    await first.change({ type: 'partitions-added', topicId: 'id-1', partitions: 5 });
    await first.change({ type: 'topic-config', topicId: 'id-2', configs: [['__proto__', 'x']] });
    await first.change({ type: 'broker-config', node: '', configs: [['a', '1']] });
    const epoch = first.state.leaderEpoch;
    await first.close();

    const second = await ClusterStore.open({ path, nodeId: 3 }, context);
    expect(second.clusterId).toBe(clusterId);
    expect(second.state.leaderEpoch).toBe(epoch + 1);
    expect(second.state.topics.map(({ name, partitions }) => [name, partitions])).toEqual([
      ['__proto__', 1],
      ['constructor', 5],
    ]);
    expect(second.state.topicById('id-2')?.configs.get('__proto__')).toBe('x');
    expect(second.state.brokerConfig('').get('a')).toBe('1');
    await second.close();
  });

  test('a producer id is never handed out twice, also after a restart without a clean end', async () => {
    const seen = new Set<number>();
    for (let start = 0; start < 4; start += 1) {
      const store = await ClusterStore.open({ path, nodeId: 0 }, context);
      for (let i = 0; i < 1500; i += 1) {
        const id = await store.nextProducerId();
        expect(id).toBeGreaterThan(0);
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      await store.close();
    }
  });

  test('a deleted topic frees its name at once and is remembered until its data is purged', async () => {
    const store = await ClusterStore.open({ path, nodeId: 0 }, context);
    await store.change(created('a', 'old', 3));
    await store.change({ type: 'topic-deleted', topicId: 'old' });
    await store.change(created('a', 'new'));
    await store.close();
    const again = await ClusterStore.open({ path, nodeId: 0 }, context);
    expect(again.state.topic('a')?.topicId).toBe('new');
    expect(again.state.deletedTopics).toEqual([{ name: 'a', topicId: 'old', partitions: 3 }]);
    await again.change({ type: 'topic-purged', topicId: 'old' });
    expect(again.state.deletedTopics).toEqual([]);
    await again.close();
  });

  test('a journal that has grown long is rewritten to what it holds', async () => {
    const store = await ClusterStore.open({ path, nodeId: 0 }, context);
    await store.change(created('a', 'id'));
    const value = 'x'.repeat(20_000);
    for (let i = 0; i < 120; i += 1) {
      await store.change({ type: 'topic-config', topicId: 'id', configs: [['k', `${i}${value}`]] });
    }
    await store.close();
    expect((await readFile(path)).length).toBeLessThan(1_100_000);
    const again = await ClusterStore.open({ path, nodeId: 0 }, context);
    expect(again.state.topic('a')?.configs.get('k')).toBe(`119${value}`);
    await again.close();
  });
});

describe('the journal', () => {
  test('whatever byte a crash tears it at, all whole events before are read and the rest is kept aside', async () => {
    const { journal } = await FileJournal.open<number[]>(path, silentLogger);
    const ends = [0];
    for (let i = 0; i < 4; i += 1) {
      await journal.append([i, i, i], ignore);
      ends.push(journal.sizeInBytes);
    }
    await journal.close();
    const whole = await readFile(path);
    for (let cut = whole.length; cut >= 0; cut -= 1) {
      await truncate(path, cut);
      const opened = await FileJournal.open<number[]>(path, silentLogger);
      const expected = ends.filter((end) => end > 0 && end <= cut).length;
      expect(opened.events.map(([value]) => value)).toEqual([0, 1, 2, 3].slice(0, expected));
      await opened.journal.append([9], ignore);
      await opened.journal.close();
      const again = await FileJournal.open<number[]>(path, silentLogger);
      expect(again.events.at(-1)).toEqual([9]);
      await again.journal.close();
      await rm(path);
      await appendFile(path, whole);
    }
    expect(await readdir(directory)).toContain('cluster.journal.cut');
  });

  test('events appended together are durable in the order of the calls', async () => {
    const { journal } = await FileJournal.open<number>(path, silentLogger);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => journal.append(i, ignore).then(() => order.push(i))),
    );
    expect(order).toEqual(Array.from({ length: 200 }, (_, i) => i));
    await journal.close();
    const { events, journal: again } = await FileJournal.open<number>(path, silentLogger);
    expect(events).toEqual(order);
    await again.close();
    await expect(again.append(1, ignore)).rejects.toMatchObject({ code: 'LOGLOFT_BROKER_CLOSED' });
  });
});

test('a state rebuilt from its own events is the same state', () => {
  const state = new ClusterState();
  const events: ClusterEvent[] = [
    { type: 'cluster', clusterId: 'c', nodeId: 1 },
    { type: 'leader-epoch', epoch: 4 },
    created('b', 'id-b', 2),
    created('a', 'id-a'),
    { type: 'topic-config', topicId: 'id-a', configs: [['retention.ms', '1']] },
    { type: 'topic-deleted', topicId: 'id-b' },
    { type: 'producer-ids', next: 3000 },
  ];
  for (const event of events) state.apply(event);
  const rebuilt = new ClusterState();
  for (const event of state.toEvents()) rebuilt.apply(event);
  expect(rebuilt.toEvents()).toEqual(state.toEvents());
  expect(rebuilt.deletedTopics).toEqual(state.deletedTopics);
});
