import { seededRandom } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import type { LogConfigInput } from '../../src/index.ts';
import { testBatch } from '../support/batches.ts';
import { type OpenLogs, openLog, readAll, settled } from '../support/open-logs.ts';
import { SimulatedFileSystem } from '../support/simulated-file-system.ts';

const size = testBatch().length;
const LOG = '/logs/topic-0/00000000000000000000.log';

async function crashed(count: number, config: LogConfigInput = {}): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem();
  const { log, clock } = await openLog({ directory: '/logs', fileSystem }, config);
  for (let i = 0; i < count; i += 1) {
    const batch = testBatch({ producerId: 7, producerEpoch: 0, baseSequence: i, tag: i });
    await settled(log.append(batch, { leaderEpoch: 1 }).written, clock);
  }
  return fileSystem.crash('process', seededRandom(1));
}

function reopen(fileSystem: SimulatedFileSystem, config: LogConfigInput = {}): Promise<OpenLogs> {
  return openLog({ directory: '/logs', fileSystem }, config);
}

describe('recovery after a crash', () => {
  it('keeps all whole batches for a tear at every byte of the last one', async () => {
    for (let cut = 1; cut <= size; cut += 1) {
      const fs = await crashed(3);
      fs.setContent(LOG, fs.contentOf(LOG).subarray(0, size * 3 - cut));
      const { log, manager } = await reopen(fs);
      expect(log.logEndOffset).toBe(2);
      expect(manager.recoveryReports[0]).toMatchObject({ recovered: true, bytesCut: size - cut });
      expect(fs.contentOf(LOG)).toHaveLength(size * 2);
      const next = testBatch({ producerId: 7, producerEpoch: 0, baseSequence: 2 });
      expect(log.append(next, { leaderEpoch: 1 }).baseOffset).toBe(2);
    }
  });

  it('cuts at the first batch with a flipped bit, wherever it is', async () => {
    for (let at = 0; at < size; at += 1) {
      const fs = await crashed(3);
      const content = Buffer.from(fs.contentOf(LOG));
      const flipped = size + at;
      content[flipped] = (content[flipped] ?? 0) ^ 0x40;
      fs.setContent(LOG, content);
      const { log } = await reopen(fs);
      // The leader epoch is not covered by the checksum.
      const isEpoch = at >= 12 && at < 16;
      if (!isEpoch) expect(log.logEndOffset, `bit of byte ${at}`).toBeLessThanOrEqual(2);
      const bytes = await readAll(log);
      expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
      expect(bytes.length).toBeGreaterThanOrEqual(size);
    }
  });

  it('removes the segments behind a cut, and reports it', async () => {
    const config = { segmentBytes: size * 2 };
    const fs = await crashed(6, config);
    fs.setContent(LOG, fs.contentOf(LOG).subarray(0, size + 5));
    const { log, manager } = await reopen(fs, config);
    expect([log.logEndOffset, log.segmentCount]).toEqual([1, 1]);
    const [report] = manager.recoveryReports;
    expect(report).toMatchObject({ segmentsRemoved: 2, bytesCut: size * 4 + 5 });
    expect(report?.cutReason).toContain('cut off');
  });

  it('reads nothing after a clean stop, and only the last segments after a flush', async () => {
    const config = { segmentBytes: size * 2, fileDeleteDelayMs: 0 };
    const fs = await crashed(7, config);
    const first = await reopen(fs, config);
    await settled(first.log.flush(), first.clock);
    await settled(first.manager.checkpoint(), first.clock);
    const second = await reopen(fs.crash('process', seededRandom(1)), config);
    expect(second.manager.recoveryReports[0]).toMatchObject({
      recovered: true,
      segmentsScanned: 1,
    });
    await settled(second.manager.close(), second.clock);
  });

  it('takes the mark of a clean stop away, so that it does not count after the next crash', async () => {
    const fs = await crashed(3);
    const first = await reopen(fs);
    await settled(first.manager.close(), first.clock);
    expect(fs.paths).toContain('/logs/.kafka_cleanshutdown');
    const second = await reopen(fs);
    expect(second.manager.recoveryReports[0]).toMatchObject({ recovered: false, bytesScanned: 0 });
    expect(fs.paths).not.toContain('/logs/.kafka_cleanshutdown');
    const third = await reopen(fs.crash('process', seededRandom(1)));
    expect(third.manager.recoveryReports[0]).toMatchObject({ recovered: true });
    expect(third.log.logEndOffset).toBe(3);
  });

  it('knows idempotent producers again, from the snapshot or from the batches', async () => {
    const config = { segmentBytes: size * 2 };
    for (const kind of ['kept', 'removed', 'damaged']) {
      const fs = await crashed(5, config);
      for (const path of fs.paths.filter((name) => name.endsWith('.snapshot'))) {
        if (kind === 'damaged') fs.setContent(path, Buffer.from('not a snapshot'));
        if (kind === 'removed') await fs.remove(path);
      }
      const { log } = await reopen(fs, config);
      const batch = (baseSequence: number): Buffer =>
        testBatch({ producerId: 7, producerEpoch: 0, baseSequence });
      expect(log.append(batch(4), { leaderEpoch: 1 }).duplicate).toBe(true);
      expect(log.append(batch(5), { leaderEpoch: 1 }).baseOffset).toBe(5);
    }
  });

  it('builds missing and damaged indexes and epochs anew', async () => {
    const config = { segmentBytes: size * 3, indexIntervalBytes: 0 };
    const fs = await crashed(8, config);
    const first = await reopen(fs, config);
    await settled(first.manager.close(), first.clock);
    await fs.remove('/logs/topic-0/00000000000000000000.index');
    fs.setContent('/logs/topic-0/00000000000000000003.timeindex', Buffer.alloc(5));
    fs.setContent('/logs/topic-0/leader-epoch-checkpoint', Buffer.from('what?'));
    const { log, manager } = await reopen(fs, config);
    expect(manager.recoveryReports[0]).toMatchObject({ recovered: false, indexesRebuilt: 2 });
    expect(log.leaderEpochs).toEqual([{ epoch: 1, startOffset: 0 }]);
    expect((await readAll(log)).length).toBe(size * 8);
  });

  it('begins empty at the stored start of the log when that lies behind its end', async () => {
    const fs = await crashed(3);
    const first = await reopen(fs);
    first.log.deleteRecordsBefore(3);
    await settled(first.manager.checkpoint(), first.clock);
    const next = fs.crash('process', seededRandom(1));
    next.setContent(LOG, next.contentOf(LOG).subarray(0, size));
    const { log } = await reopen(next);
    expect([log.logStartOffset, log.logEndOffset, log.sizeInBytes]).toEqual([3, 3, 0]);
  });

  it('keeps the start of a tiered log below its first local segment (KAFKA-15351)', async () => {
    const config = {
      segmentBytes: size * 2,
      remoteStorageEnable: true,
      localRetentionBytes: 0,
      fileDeleteDelayMs: 0,
    };
    const fs = await crashed(6, config);
    const first = await reopen(fs, config);
    first.log.updateHighestOffsetInRemoteStorage(3);
    expect(first.log.applyRetention()).toBe(2);
    await settled(first.manager.close(), first.clock);
    const { log } = await reopen(fs, config);
    expect([log.logStartOffset, log.localLogStartOffset]).toEqual([0, 4]);
    expect(log.highestOffsetInRemoteStorage).toBe(-1);
  });
});
