import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave } from '../harness/rounds.ts';
import { warmPageMemory } from '../harness/scratch.ts';
import type { LoadResult } from '../peers/load.ts';
import { BrokerPair, TOPIC } from './broker-pair.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const BATCH_BYTES = 16 * KIB;
const LOG_BYTES = 128 * MIB;
const BATCHES = LOG_BYTES / BATCH_BYTES;
const AIM = 0.6;
const NAMES = ['ours', 'micro'] as const;

interface Case {
  readonly what: string;
  readonly sliceBytes: number;
  readonly connections: number;
  readonly inFlight: number;
  readonly bytes: number;
}

const CASES: readonly Case[] = [
  { what: '64 KiB answers', sliceBytes: 64 * KIB, connections: 1, inFlight: 4, bytes: 384 * MIB },
  { what: '1 MiB answers', sliceBytes: MIB, connections: 1, inFlight: 2, bytes: 768 * MIB },
  { what: '1 MiB answers', sliceBytes: MIB, connections: 8, inFlight: 1, bytes: 768 * MIB },
];

/** Fetch end to end, hot, against the throw-away broker. */
export const b7: Bench = {
  id: 'B7',
  title: 'B7 fetch end to end from one partition, hot, against the micro-broker',
  async run(options: BenchOptions): Promise<Report> {
    warmPageMemory(2 * LOG_BYTES);
    const pair = await BrokerPair.start(1);
    try {
      for (const name of NAMES) await fill(pair, name);
      const rows: Row[] = [];
      const notes: string[] = [];
      for (const test of CASES) {
        const bytes = options.smoke ? test.bytes / 8 : test.bytes;
        const load = (name: 'ours' | 'micro') => fetchAll(pair, name, { ...test, bytes });
        rows.push(await rowOf(pair, test, { rounds: options.rounds, load }));
        if (!options.profile) continue;
        const title = `B7 ${test.what}, ${test.connections} consumers`;
        notes.push(...(await pair.profile(title, options.profileDirectory, () => load('ours'))));
      }
      return { title: this.title, rows, notes };
    } finally {
      await pair.end();
    }
  },
};

interface RowWork {
  readonly rounds: number;
  load(name: 'ours' | 'micro'): Promise<LoadResult>;
}

async function rowOf(pair: BrokerPair, test: Case, { rounds, load }: RowWork): Promise<Row> {
  const results = await interleave(
    NAMES.map((name) => ({ name, run: () => pair.measure(name, () => load(name)) })),
    rounds,
  );
  const text = (name: string): string =>
    [
      spread(results.summary(name, 'MB/s'), 'MB/s'),
      `${figure(results.median(name, 'CPU ms/GB'))} CPU ms/GB`,
      `${figure(results.median(name, 'CPU us/req'))} CPU us/req`,
      `p99 ${figure(results.median(name, 'p99 ms'))} ms`,
    ].join(', ');
  return {
    what: `${test.what}, ${test.connections} x ${test.inFlight} in flight`,
    ours: text('ours'),
    peer: text('micro'),
    ratio: results.ratio('ours', 'micro', 'MB/s'),
    target: AIM,
  };
}

function fill(pair: BrokerPair, name: 'ours' | 'micro'): Promise<LoadResult> {
  return pair.generator.call('produce', {
    port: pair.portOf(name),
    topic: TOPIC,
    partitions: 1,
    batchBytes: BATCH_BYTES,
    connections: 1,
    inFlight: 5,
    requests: BATCHES,
  });
}

function fetchAll(pair: BrokerPair, name: 'ours' | 'micro', test: Case): Promise<LoadResult> {
  return pair.generator.call('fetch', {
    port: pair.portOf(name),
    topic: TOPIC,
    batchBytes: BATCH_BYTES,
    batches: BATCHES,
    sliceBytes: test.sliceBytes,
    connections: test.connections,
    inFlight: test.inFlight,
    requests: Math.ceil(test.bytes / test.sliceBytes),
  });
}
