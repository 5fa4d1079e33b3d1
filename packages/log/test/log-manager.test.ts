import { seededRandom } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import {
  InvalidLogConfigError,
  InvalidPartitionError,
  LogManager,
  LogStorageError,
  resolveLogConfig,
} from '../src/index.ts';
import { testBatch } from './support/batches.ts';
import { openLog, settled, TOPIC_ID } from './support/open-logs.ts';
import { SimulatedFileSystem, systemError } from './support/simulated-file-system.ts';

const OTHER_ID = 'BBBBBBBBBBBBBBBBBBBBBB';

describe('LogManager', () => {
  it('refuses names that Kafka does not allow, and takes odd ones that it does', async () => {
    const { manager, clock } = await openLog({ memoryBytes: 1e6 });
    for (const name of ['', '..', '.', '../x', 'a/b', 'a b', 'ä', 'x'.repeat(250)]) {
      expect(() => manager.create(name, 0, TOPIC_ID)).toThrow(InvalidPartitionError);
    }
    for (const name of ['constructor', '__proto__', 'a-1', 'x'.repeat(249)]) {
      expect(manager.create(name, 1, TOPIC_ID).topic).toBe(name);
    }
    expect(manager.get('__proto__', 0)).toBeUndefined();
    expect(() => manager.create('a-1', 1, TOPIC_ID)).toThrow(InvalidPartitionError);
    expect(() => manager.create('b', -1, TOPIC_ID)).toThrow(InvalidPartitionError);
    expect(() => manager.create('b', 0, 'short')).toThrow(InvalidPartitionError);
    await settled(manager.close(), clock);
  });

  it('finds its partitions again, with topic ids and settings', async () => {
    const fileSystem = new SimulatedFileSystem();
    const store = { directory: '/logs', fileSystem };
    const first = await openLog(store);
    first.manager.create('a-1', 12, OTHER_ID).append(testBatch({ count: 4 }), { leaderEpoch: 2 });
    await settled(first.manager.close(), first.clock);
    const configOf = (topic: string): { segmentBytes: number } | undefined =>
      topic === 'a-1' ? { segmentBytes: 4711 } : undefined;
    const { manager } = await openLog(store, {}, { manager: { configOf } });
    expect(manager.list().map((log) => `${log.topic}/${log.partition}`)).toEqual([
      'a-1/12',
      'topic/0',
    ]);
    const log = manager.get('a-1', 12);
    expect([log?.topicId, log?.logEndOffset, log?.config.segmentBytes]).toEqual([
      OTHER_ID,
      4,
      4711,
    ]);
    expect(log?.leaderEpochs).toEqual([{ epoch: 2, startOffset: 0 }]);
  });

  it('deletes a partition: gone at once, its files after the delay, its name free', async () => {
    const fileSystem = new SimulatedFileSystem();
    const { manager, log, clock } = await openLog({ directory: '/logs', fileSystem });
    log.append(testBatch(), { leaderEpoch: 1 });
    const deleted = manager.delete('topic', 0);
    expect(manager.get('topic', 0)).toBeUndefined();
    expect(() => manager.create('topic', 0, OTHER_ID)).toThrow(/being deleted/);
    expect(await settled(deleted, clock)).toBe(true);
    expect(await settled(manager.delete('topic', 0), clock)).toBe(false);
    expect(manager.get('topic', 0)).toBeUndefined();
    const left = (): string[] => fileSystem.paths.filter((path) => path.includes('-delete/'));
    expect(left().length).toBeGreaterThan(0);
    expect(manager.create('topic', 0, OTHER_ID).logEndOffset).toBe(0);
    await clock.advanceAsync(60_000);
    expect(left()).toEqual([]);
    await settled(manager.close(), clock);
  });

  it('sweeps at the start what a deletion left', async () => {
    const fileSystem = new SimulatedFileSystem();
    const store = { directory: '/logs', fileSystem };
    const first = await openLog(store);
    await settled(first.manager.delete('topic', 0), first.clock);
    const next = fileSystem.crash('process', seededRandom(1));
    const { clock } = await openLog({ directory: '/logs', fileSystem: next });
    await clock.advanceAsync(0);
    expect(next.paths.filter((path) => path.includes('-delete/'))).toEqual([]);
  });

  it('removes a directory of another topic of the same name, and keeps one of the same topic', async () => {
    const fileSystem = new SimulatedFileSystem();
    const store = { directory: '/logs', fileSystem };
    const first = await openLog(store);
    first.log.append(testBatch(), { leaderEpoch: 1 });
    await settled(first.manager.close(), first.clock);
    fileSystem.setContent('/logs/topic-0/partition.metadata', Buffer.from('version: 0\ntop'));
    const second = await openLog(store);
    expect(second.log.logEndOffset).toBe(1);
    await settled(second.manager.close(), second.clock);
    const metadata = `version: 0\ntopic_id: ${TOPIC_ID}`;
    expect(fileSystem.contentOf('/logs/topic-0/partition.metadata').toString()).toBe(metadata);
  });

  it('says what is wrong when a partition cannot be made, and leaves nothing', async () => {
    const fileSystem = new SimulatedFileSystem();
    const { manager, clock } = await openLog({ directory: '/logs', fileSystem });
    for (const failing of ['readFile', 'makeDirectory', 'writeFile']) {
      fileSystem.faults.fail = (call, path) =>
        call === failing && path.includes('other-0') ? systemError('ENOTDIR') : undefined;
      expect(() => manager.create('other', 0, OTHER_ID)).toThrow(LogStorageError);
      expect(manager.get('other', 0)).toBeUndefined();
      fileSystem.faults.fail = () => undefined;
    }
    expect(manager.create('other', 0, OTHER_ID).logEndOffset).toBe(0);
    await settled(manager.close(), clock);
  });

  it('keeps what was there when a partition cannot be taken over, and makes none in the place of another', async () => {
    const fileSystem = new SimulatedFileSystem();
    const store = { directory: '/logs', fileSystem };
    const first = await openLog(store);
    first.log.append(testBatch(), { leaderEpoch: 1 });
    await settled(first.manager.close(), first.clock);
    const path = '/logs/topic-0/partition.metadata';
    const metadata = fileSystem.contentOf(path);
    fileSystem.setContent(path, Buffer.from('version: 0\ntop'));
    const { clock } = first;
    const manager = await LogManager.open(store, {}, { clock });
    const failing = (name: string): void => {
      fileSystem.faults.fail = (call, at) =>
        call === name && at.includes('topic-0') ? systemError('EIO') : undefined;
    };
    failing('open');
    expect(() => manager.create('topic', 0, TOPIC_ID)).toThrow(LogStorageError);
    fileSystem.setContent(path, metadata);
    failing('rename');
    expect(() => manager.create('topic', 0, OTHER_ID)).toThrow(LogStorageError);
    failing('nothing');
    await clock.advanceAsync(60_000);
    expect(manager.create('topic', 0, TOPIC_ID).logEndOffset).toBe(1);
    await settled(manager.close(), clock);
  });

  it('checks retention and flushes by itself at its intervals', async () => {
    const fileSystem = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(
      { directory: '/logs', fileSystem },
      { segmentBytes: 200, retentionBytes: 200, flushMs: 500 },
    );
    for (let i = 0; i < 6; i += 1) log.append(testBatch(), { leaderEpoch: 1 });
    await clock.advanceAsync(0);
    expect(log.recoveryPoint).toBeLessThan(6);
    await clock.advanceAsync(2000);
    expect(log.recoveryPoint).toBe(6);
    expect(log.logStartOffset).toBe(0);
    await clock.advanceAsync(300_000);
    expect(log.logStartOffset).toBeGreaterThan(0);
    await settled(manager.close(), clock);
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes the checkpoints as Kafka does', async () => {
    const fileSystem = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog({ directory: '/logs', fileSystem });
    log.append(testBatch({ count: 3 }), { leaderEpoch: 1 });
    log.flushTurn();
    log.deleteRecordsBefore(2);
    await settled(log.flush(), clock);
    await settled(manager.checkpoint(), clock);
    const read = (name: string): string => fileSystem.contentOf(`/logs/${name}`).toString();
    expect(read('recovery-point-offset-checkpoint')).toBe('0\n1\ntopic 0 3\n');
    expect(read('log-start-offset-checkpoint')).toBe('0\n1\ntopic 0 2\n');
    expect(read('topic-0/leader-epoch-checkpoint')).toBe('0\n1\n1 2\n');
    await settled(manager.close(), clock);
  });
});

describe('settings', () => {
  it('are refused by the name that Kafka gives them', async () => {
    expect(() => resolveLogConfig({ segmentBytes: 13 })).toThrow(/segment\.bytes.*14.*13/);
    expect(() => resolveLogConfig({ retentionMs: -2 })).toThrow(/retention\.ms/);
    expect(() => resolveLogConfig({ flushMessages: 0 })).toThrow(InvalidLogConfigError);
    expect(resolveLogConfig({ segmentBytes: 14, localRetentionMs: -2 }).segmentBytes).toBe(14);
    const { clock } = await openLog({ memoryBytes: 1e6 });
    const opening = LogManager.open({ memoryBytes: 1e6 }, { checkpointIntervalMs: 0 }, { clock });
    await expect(opening).rejects.toThrow(InvalidLogConfigError);
  });
});
