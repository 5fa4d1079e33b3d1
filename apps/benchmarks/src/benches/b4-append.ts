import { closeSync, openSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@logloft/clock';
import { LogManager } from '@logloft/log';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type Measured } from '../harness/rounds.ts';
import { ScratchDirectory, warmPageMemory } from '../harness/scratch.ts';
import { cpuMicrosBetween, ownUsage } from '../harness/usage.ts';
import { LatencyRecorder } from '../peers/latency-recorder.ts';
import { sizedBatch } from '../peers/sized-batch.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const BATCH_BYTES = 16 * KIB;
const TOPIC_ID = 'AAAAAAAAQACAAAAAAAAAAA';
/** Ours may take 1.5 times the CPU. */
const AIM = 1 / 1.5;

/** Making many logs takes longer than writing to them. */
const SMOKE_PARTITIONS = 100;

interface Case {
  readonly partitions: number;
  /** Batches of a partition and turn. */
  readonly batches: number;
}

const CASES: readonly Case[] = [
  { partitions: 1, batches: 1 },
  { partitions: 1, batches: 8 },
  { partitions: 1, batches: 64 },
  { partitions: 100, batches: 1 },
  { partitions: 1000, batches: 1 },
];

/** One turn for one partition: some batches that go into one write. */
type AppendTurn = (partition: number, batches: readonly Buffer[]) => void;

/** Appending to partition logs against bare gathered writes. */
export const b4: Bench = {
  id: 'B4',
  title: 'B4 log append of 16 KiB batches, against bare writevSync to as many files',
  async run(options: BenchOptions): Promise<Report> {
    const bytes = (options.smoke ? 8 : 64) * MIB;
    // Both keep all that they write until the case is over.
    warmPageMemory(2 * bytes * (options.rounds + 1));
    const rows: Row[] = [];
    for (const test of CASES) {
      if (options.smoke && test.partitions > SMOKE_PARTITIONS) continue;
      rows.push(await measure(test, bytes, options.rounds));
    }
    return { title: this.title, rows };
  },
};

async function measure(test: Case, bytes: number, rounds: number): Promise<Row> {
  const scratch = new ScratchDirectory();
  const manager = await LogManager.open(
    { directory: join(scratch.path, 'logs') },
    {},
    { clock: systemClock },
  );
  const files = Array.from({ length: test.partitions }, (_, i) =>
    openSync(join(scratch.path, `${i}.bare`), 'a'),
  );
  try {
    const logs = files.map((_, i) => manager.create('bench', i, TOPIC_ID));
    const turns = Math.ceil(bytes / (test.batches * BATCH_BYTES));
    const ours: AppendTurn = (partition, batches) => {
      const log = logs[partition];
      for (const batch of batches) log?.append(batch, { leaderEpoch: 0 });
      log?.flushTurn();
    };
    const bare: AppendTurn = (partition, batches) => {
      writevSync(files[partition] ?? -1, batches);
    };
    const results = await interleave(
      [
        { name: 'ours', run: () => run(test, turns, ours) },
        { name: 'bare', run: () => run(test, turns, bare) },
      ],
      rounds,
    );
    const text = (name: string): string =>
      `${figure(results.median(name, 'cpu'))} CPU us/batch, ${figure(results.median(name, 'us'))} us, p99.9 of a turn ${figure(results.median(name, 'p999') * 1000)} us`;
    return {
      what: `${test.batches} a turn, ${test.partitions} partitions`,
      ours: text('ours'),
      peer: text('bare'),
      ratio: results.ratio('bare', 'ours', 'cpu'),
      target: AIM,
    };
  } finally {
    for (const file of files) closeSync(file);
    await manager.close();
    scratch.remove();
  }
}

function run(test: Case, turns: number, append: AppendTurn): Measured {
  // Batches get their offsets in place, as those of a request do.
  const batches = Array.from({ length: test.batches }, () => sizedBatch(BATCH_BYTES).batch);
  const recorder = new LatencyRecorder(turns);
  const before = ownUsage();
  const start = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    const began = performance.now();
    append(turn % test.partitions, batches);
    recorder.add(performance.now() - began);
  }
  const elapsedMs = performance.now() - start;
  const count = turns * test.batches;
  return {
    cpu: cpuMicrosBetween(before, ownUsage()) / count,
    us: (elapsedMs * 1000) / count,
    p999: recorder.latency().p999,
  };
}
