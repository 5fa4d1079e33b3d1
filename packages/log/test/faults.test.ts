import { seededRandom } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { LogCorruptError, LogStorageError, StorageFullError } from '../src/index.ts';
import { testBatch } from './support/batches.ts';
import { openLog, readAll, settled } from './support/open-logs.ts';
import { SimulatedFileSystem, systemError } from './support/simulated-file-system.ts';

const size = testBatch().length;
const producer = { producerId: 7, producerEpoch: 0 };

function onFileSystem(fileSystem: SimulatedFileSystem): {
  directory: string;
  fileSystem: SimulatedFileSystem;
} {
  return { directory: '/logs', fileSystem };
}

describe('a full disk', () => {
  it('fails the whole turn, keeps nothing of it, and takes the same batches once there is room', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(onFileSystem(fs));
    const kept = log.append(testBatch({ ...producer, baseSequence: 0 }), { leaderEpoch: 1 });
    log.flushTurn();
    await kept.written;
    fs.faults.logBytes = size + size / 2;
    const turn = [1, 2].map((baseSequence) =>
      log.append(testBatch({ ...producer, baseSequence }), { leaderEpoch: 2 }),
    );
    log.flushTurn();
    for (const { written } of turn) await expect(written).rejects.toThrow(StorageFullError);
    expect([log.logEndOffset, log.highWatermark]).toEqual([1, 1]);
    expect(log.leaderEpochs).toEqual([{ epoch: 1, startOffset: 0 }]);
    expect(fs.contentOf('/logs/topic-0/00000000000000000000.log')).toHaveLength(size);
    expect((await readAll(log)).length).toBe(size);

    fs.faults.logBytes = Number.POSITIVE_INFINITY;
    const again = [1, 2].map((baseSequence) =>
      log.append(testBatch({ ...producer, baseSequence }), { leaderEpoch: 2 }),
    );
    await settled(Promise.all(again.map(({ written }) => written)), clock);
    expect(again.map(({ baseOffset }) => baseOffset)).toEqual([1, 2]);
    expect((await readAll(log)).length).toBe(size * 3);
    await settled(manager.close(), clock);
  });

  it('of memory is the same: full, and good again when something was removed', async () => {
    const { log, clock, manager } = await openLog(
      { memoryBytes: 100_000 },
      { segmentBytes: 20_000, retentionBytes: 20_000 },
    );
    const batch = (): Buffer => testBatch({ valueBytes: 5000 });
    let failure: unknown;
    for (let i = 0; i < 50 && failure === undefined; i += 1) {
      try {
        const { written } = log.append(batch(), { leaderEpoch: 1 });
        log.flushTurn();
        await written;
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toBeInstanceOf(StorageFullError);
    const end = log.logEndOffset;
    log.applyRetention();
    await clock.advanceAsync(0);
    const { baseOffset, written } = log.append(batch(), { leaderEpoch: 1 });
    await settled(written, clock);
    expect(baseOffset).toBe(end);
    await settled(manager.close(), clock);
  });

  it('does not lose a truncation that failed, too: it comes before the next write', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(onFileSystem(fs));
    fs.faults.logBytes = size / 2;
    fs.faults.fail = (call) => (call === 'truncate' ? systemError('EIO') : undefined);
    const lost = log.append(testBatch({ count: 5 }), { leaderEpoch: 1 });
    log.flushTurn();
    await expect(lost.written).rejects.toThrow(StorageFullError);
    fs.faults.logBytes = Number.POSITIVE_INFINITY;
    const stuck = log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    await expect(stuck.written).rejects.toThrow(LogStorageError);
    fs.faults.fail = () => undefined;
    const good = log.append(testBatch(), { leaderEpoch: 1 });
    await settled(good.written, clock);
    expect(fs.contentOf('/logs/topic-0/00000000000000000000.log')).toHaveLength(size);
    await settled(manager.close(), clock);
  });

  it('that has no room for a new segment refuses the batch and goes on later', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(onFileSystem(fs), { segmentBytes: size });
    log.append(testBatch(), { leaderEpoch: 1 });
    log.flushTurn();
    fs.faults.fail = (call) => (call === 'open' ? systemError('ENOSPC') : undefined);
    expect(() => log.append(testBatch(), { leaderEpoch: 1 })).toThrow(StorageFullError);
    fs.faults.fail = () => undefined;
    expect(log.append(testBatch(), { leaderEpoch: 1 }).baseOffset).toBe(1);
    await settled(manager.close(), clock);
  });
});

describe('writes that take less than they were given', () => {
  it('are continued until all is written', async () => {
    const fs = new SimulatedFileSystem();
    fs.faults.writeBytes = 7;
    const { log, clock, manager } = await openLog(onFileSystem(fs));
    const batches = [testBatch({ tag: 1 }), testBatch({ tag: 2 }), testBatch({ tag: 3 })];
    for (const batch of batches) log.append(batch, { leaderEpoch: 1 });
    log.flushTurn();
    expect((await readAll(log)).equals(Buffer.concat(batches))).toBe(true);
    await settled(manager.close(), clock);
  });
});

describe('group commit', () => {
  it('shows and acknowledges batches after their sync, many turns with one', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(onFileSystem(fs), { flushMessages: 1 });
    const written: Promise<void>[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      written.push(log.append(testBatch(), { leaderEpoch: 1 }).written);
      log.flushTurn();
    }
    expect([log.logEndOffset, log.highWatermark]).toEqual([10, 0]);
    await settled(Promise.all(written), clock);
    expect(log.highWatermark).toBe(10);
    expect(fs.calls.get('sync') ?? 0).toBeLessThanOrEqual(2);
    await settled(manager.close(), clock);
  });

  it('goes on once there is room for the first flush of a partition: that was no failed sync', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock, manager } = await openLog(onFileSystem(fs), { flushMessages: 1 });
    fs.faults.fail = (call, path) =>
      call === 'writeFile' && path.endsWith('partition.metadata')
        ? systemError('ENOSPC')
        : undefined;
    const refused = log.append(testBatch({ tag: 1 }), { leaderEpoch: 1 });
    await expect(settled(refused.written, clock)).rejects.toThrow(StorageFullError);
    fs.faults.fail = () => undefined;
    await settled(log.append(testBatch({ tag: 2 }), { leaderEpoch: 1 }).written, clock);
    expect(log.highWatermark).toBe(2);
    await settled(manager.close(), clock);
  });

  it('takes nothing more after a sync failed, and still serves what was acknowledged', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock } = await openLog(onFileSystem(fs), { flushMessages: 1 });
    await settled(log.append(testBatch(), { leaderEpoch: 1 }).written, clock);
    fs.faults.fail = (call) => (call === 'sync' ? systemError('EIO') : undefined);
    const lost = log.append(testBatch(), { leaderEpoch: 1 });
    await expect(settled(lost.written, clock)).rejects.toThrow(LogStorageError);
    fs.faults.fail = () => undefined;
    expect(() => log.append(testBatch(), { leaderEpoch: 1 })).toThrow(LogStorageError);
    expect(log.highWatermark).toBe(1);
    const reopened = await openLog(onFileSystem(fs.crash('power', seededRandom(1))));
    expect(reopened.log.logEndOffset).toBeGreaterThanOrEqual(1);
  });
});

describe('a failed background flush', () => {
  it('leaves the recovery point where it was, so that the next start checks the data', async () => {
    const fs = new SimulatedFileSystem();
    const { log, clock } = await openLog(onFileSystem(fs));
    log.append(testBatch(), { leaderEpoch: 1 });
    await settled(log.flush(), clock);
    fs.faults.fail = (call) => (call === 'sync' ? systemError('EIO') : undefined);
    log.append(testBatch(), { leaderEpoch: 1 });
    await expect(settled(log.flush(), clock)).rejects.toThrow(LogStorageError);
    fs.faults.fail = () => undefined;
    await expect(settled(log.flush(), clock)).rejects.toThrow(LogStorageError);
    expect([log.recoveryPoint, log.highWatermark]).toEqual([1, 2]);
  });
});

describe('a segment whose index is damaged', () => {
  it('is not given to whoever copies it (KAFKA-15401), and is read all the same', async () => {
    const fs = new SimulatedFileSystem();
    const config = { segmentBytes: size * 4, indexIntervalBytes: 0 };
    const first = await openLog(onFileSystem(fs), config);
    for (let i = 0; i < 6; i += 1)
      first.log.append(testBatch({ timestamp: i }), { leaderEpoch: 1 });
    await settled(first.manager.close(), first.clock);
    const next = await openLog(onFileSystem(fs), config);
    const path = '/logs/topic-0/00000000000000000000.index';
    fs.setContent(path, fs.contentOf(path).subarray(0, 7));
    const segment = next.log.rolledSegments()[0];
    if (segment === undefined) throw new Error('no rolled segment');
    await expect(settled(segment.lease(), next.clock)).rejects.toThrow(LogCorruptError);
    expect((await settled(readAll(next.log), next.clock)).length).toBe(size * 6);
    await settled(next.manager.close(), next.clock);
  });
});
