import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '@logloft/clock';
import { LogManager, type PartitionLog } from '@logloft/log';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, size } from '../harness/format.ts';
import { dropFromPageCache } from '../harness/page-cache.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type Measured } from '../harness/rounds.ts';
import { ScratchDirectory, warmPageMemory } from '../harness/scratch.ts';
import { cpuMicrosBetween, ownUsage } from '../harness/usage.ts';
import { sizedBatch } from '../peers/sized-batch.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const BATCH_BYTES = 16 * KIB;
const LOG_BYTES = 128 * MIB;
const HOT_SIZES = [64 * KIB, 256 * KIB, MIB] as const;
const COLD_SLICE_BYTES = MIB;
const COLD_AT_ONCE = 4;
const TOPIC_ID = 'AAAAAAAAQACAAAAAAAAAAA';
/** Ours may take 1.4 times the CPU. */
const HOT_AIM = 1 / 1.4;
/** Cold reads may not make the loop wait for longer, at the 99th percentile. */
const COLD_DELAY_MS = 5;
const READ_OPTIONS = { minOneBatch: true, limit: 'high-watermark' } as const;

/** Reading from a partition log against bare reads of its file. */
export const b5: Bench = {
  id: 'B5',
  title: 'B5 log read, hot against bare readSync, cold against a limit of the loop delay',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    warmPageMemory(LOG_BYTES);
    const rows: Row[] = [];
    for (const sliceBytes of HOT_SIZES) {
      rows.push(await hotRow(sliceBytes, { rounds, bytes: (smoke ? 32 : 256) * MIB }));
    }
    rows.push(await coldRow());
    return { title: this.title, rows };
  },
};

interface FilledLog {
  readonly scratch: ScratchDirectory;
  readonly manager: LogManager;
  readonly log: PartitionLog;
  /** The file of its only segment. */
  readonly file: string;
  readonly records: number;
}

async function openFilledLog(hotBytes: number | undefined): Promise<FilledLog> {
  const scratch = new ScratchDirectory();
  const directory = join(scratch.path, 'logs');
  const manager = await LogManager.open({ directory }, { hotBytes }, { clock: systemClock });
  const log = manager.create('bench', 0, TOPIC_ID);
  const { batch, records } = sizedBatch(BATCH_BYTES);
  for (let bytes = 0; bytes < LOG_BYTES; bytes += batch.length) {
    log.append(batch, { leaderEpoch: 0 });
    log.flushTurn();
  }
  const file = join(directory, 'bench-0', `${'0'.padStart(20, '0')}.log`);
  return { scratch, manager, log, file, records };
}

interface HotWork {
  readonly rounds: number;
  readonly bytes: number;
}

async function hotRow(sliceBytes: number, { rounds, bytes }: HotWork): Promise<Row> {
  const { scratch, manager, log, file, records } = await openFilledLog(undefined);
  const bare = openSync(file, 'r');
  try {
    const target = Buffer.allocUnsafeSlow(sliceBytes);
    const slices = LOG_BYTES / sliceBytes;
    const inSlice = (sliceBytes / BATCH_BYTES) * records;
    const options = { ...READ_OPTIONS, maxBytes: sliceBytes };
    const readOurs = (slice: number): void => {
      const result = log.read(slice * inSlice, options);
      if (result.kind !== 'slice' || !result.slice.isHot) throw new Error('Expected a hot slice');
      const read = result.slice.readInto(target);
      result.slice.release();
      if (read !== sliceBytes) throw new Error(`Expected ${sliceBytes} bytes, got ${read}`);
    };
    const readBare = (slice: number): void => {
      readSync(bare, target, 0, sliceBytes, slice * sliceBytes);
    };
    const count = bytes / sliceBytes;
    const run = (read: (slice: number) => void) => () => timed(count, slices, read);
    const results = await interleave(
      [
        { name: 'ours', run: run(readOurs) },
        { name: 'bare', run: run(readBare) },
      ],
      rounds,
    );
    const text = (name: string): string =>
      `${figure(results.median(name, 'cpu'))} CPU us, ${figure(results.median(name, 'us'))} us, ${figure(sliceBytes / results.median(name, 'us'))} MB/s`;
    return {
      what: `hot, ${size(sliceBytes)}`,
      ours: text('ours'),
      peer: text('bare'),
      ratio: results.ratio('bare', 'ours', 'cpu'),
      target: HOT_AIM,
    };
  } finally {
    closeSync(bare);
    await manager.close();
    scratch.remove();
  }
}

function timed(count: number, slices: number, read: (slice: number) => void): Measured {
  const before = ownUsage();
  const start = performance.now();
  for (let i = 0; i < count; i += 1) read(i % slices);
  const elapsedMs = performance.now() - start;
  return { cpu: cpuMicrosBetween(before, ownUsage()) / count, us: (elapsedMs * 1000) / count };
}

async function coldRow(): Promise<Row> {
  const { scratch, manager, log, file, records } = await openFilledLog(0);
  try {
    await log.flush();
    const isDropped = dropFromPageCache(file);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const slices = LOG_BYTES / COLD_SLICE_BYTES;
    const inSlice = (COLD_SLICE_BYTES / BATCH_BYTES) * records;
    let next = 0;
    const reader = async (): Promise<void> => {
      const target = Buffer.allocUnsafeSlow(2 * COLD_SLICE_BYTES);
      while (next < slices) {
        const offset = next++ * inSlice;
        const result = log.read(offset, { ...READ_OPTIONS, maxBytes: COLD_SLICE_BYTES });
        if (result.kind !== 'slice' || result.slice.isHot) throw new Error('Expected a cold slice');
        await result.slice.readIntoAsync(target);
        result.slice.release();
      }
    };
    delay.enable();
    const start = performance.now();
    await Promise.all(Array.from({ length: COLD_AT_ONCE }, reader));
    const elapsedMs = performance.now() - start;
    delay.disable();
    const p99Ms = delay.percentile(99) / 1e6;
    return {
      what: `cold, ${size(COLD_SLICE_BYTES)}, ${COLD_AT_ONCE} at once${isDropped ? '' : ' (the page cache could not be dropped)'}`,
      ours: `${figure(LOG_BYTES / 1000 / elapsedMs)} MB/s, loop delay p99 ${figure(p99Ms)} ms`,
      peer: `at most ${COLD_DELAY_MS} ms`,
      ratio: COLD_DELAY_MS / p99Ms,
      target: 1,
    };
  } finally {
    await manager.close();
    scratch.remove();
  }
}
