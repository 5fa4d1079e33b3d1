import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type RoundResults } from '../harness/rounds.ts';
import { warmPageMemory } from '../harness/scratch.ts';
import type { LoadResult } from '../peers/load.ts';
import { BrokerPair, TOPIC } from './broker-pair.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const PARTITIONS = 64;
/** What the broker's memory may come to under load: itself, receive memory, tail of the log, a worker. */
const LOAD_BUDGET_MB = 250;
/** Between the first and the last round of a case it may grow by a tenth of that. */
const GROWTH_BUDGET_MB = 25;
/** Less than this is nothing. */
const LEAST_GROWTH_MB = 1;

interface Case {
  readonly what: string;
  readonly batchBytes: number;
  readonly allPartitions: boolean;
  readonly connections: number;
  readonly inFlight: number;
  /** Bytes of one round, and of one round of a smoke run. */
  readonly bytes: number;
  readonly smokeBytes: number;
  readonly aim: number | undefined;
  readonly inSmoke: boolean;
}

// A batch and its envelope are a little less than the greatest batch that a topic takes by default.
const large = { batchBytes: MIB, allPartitions: false, bytes: 320 * MIB, smokeBytes: 64 * MIB };
const small = {
  batchBytes: 16 * KIB,
  allPartitions: false,
  bytes: 128 * MIB,
  smokeBytes: 16 * MIB,
};
const CASES: readonly Case[] = [
  { ...large, what: '1 MiB requests', connections: 1, inFlight: 5, aim: 0.55, inSmoke: true },
  { ...large, what: '1 MiB requests', connections: 8, inFlight: 2, aim: 0.55, inSmoke: false },
  { ...large, what: '1 MiB requests', connections: 64, inFlight: 1, aim: 0.55, inSmoke: false },
  {
    what: '1 MiB requests of 64 x 16 KiB',
    batchBytes: 16 * KIB,
    allPartitions: true,
    bytes: 256 * MIB,
    smokeBytes: 64 * MIB,
    connections: 1,
    inFlight: 5,
    aim: 0.55,
    inSmoke: false,
  },
  { ...small, what: '16 KiB requests', connections: 1, inFlight: 5, aim: 0.5, inSmoke: true },
  { ...small, what: '16 KiB requests', connections: 8, inFlight: 2, aim: 0.5, inSmoke: false },
  { ...small, what: '16 KiB requests', connections: 64, inFlight: 1, aim: 0.5, inSmoke: true },
  {
    ...small,
    what: '1 KiB requests',
    batchBytes: KIB,
    bytes: 16 * MIB,
    smokeBytes: 4 * MIB,
    connections: 1,
    inFlight: 50,
    aim: undefined,
    inSmoke: false,
  },
];

/** Produce end to end, against the throw-away broker. */
export const b6: Bench = {
  id: 'B6',
  title: 'B6 produce end to end (acks=1, no sync), against the micro-broker',
  async run(options: BenchOptions): Promise<Report> {
    const { smoke, rounds } = options;
    warmPageMemory((smoke ? 128 : 1024) * MIB);
    const pair = await BrokerPair.start(PARTITIONS);
    try {
      const rows: Row[] = [];
      const notes: string[] = [];
      const growths: number[] = [];
      for (const test of CASES) {
        if (smoke && !test.inSmoke) continue;
        const results = await interleave(
          (['ours', 'micro'] as const).map((name) => ({
            name,
            run: async () => {
              const measured = await pair.measure(name, () => load(pair, name, test, smoke));
              await pair.clear(name);
              return measured;
            },
          })),
          rounds,
        );
        rows.push(rowOf(test, results));
        growths.push(growthOf(results.values('ours', 'RSS MB')));
        if (options.profile) {
          const title = `${test.what}, ${test.connections} connections`;
          const work = () => load(pair, 'ours', test, smoke);
          notes.push(...(await pair.profile(`B6 ${title}`, options.profileDirectory, work)));
          await pair.clear('ours');
        }
      }
      rows.push(await memoryRow(pair), growthRow(growths));
      return { title: this.title, rows, notes };
    } finally {
      await pair.end();
    }
  },
};

function load(
  pair: BrokerPair,
  name: 'ours' | 'micro',
  test: Case,
  smoke: boolean,
): Promise<LoadResult> {
  const { batchBytes, allPartitions, connections, inFlight } = test;
  const requestBytes = batchBytes * (allPartitions ? PARTITIONS : 1);
  return pair.generator.call('produce', {
    port: pair.portOf(name),
    topic: TOPIC,
    partitions: allPartitions ? PARTITIONS : Math.min(connections, 8),
    allPartitions,
    batchBytes,
    connections,
    inFlight,
    requests: Math.ceil((smoke ? test.smokeBytes : test.bytes) / requestBytes),
  });
}

function rowOf(test: Case, results: RoundResults): Row {
  const isLarge = test.batchBytes * (test.allPartitions ? PARTITIONS : 1) >= MIB;
  const text = (name: string): string => {
    const rate = isLarge
      ? `${spread(results.summary(name, 'MB/s'), 'MB/s')}, ${figure(results.median(name, 'CPU ms/GB'))} CPU ms/GB`
      : `${spread(results.summary(name, 'req/s'), 'req/s')}, ${figure(results.median(name, 'CPU us/req'))} CPU us`;
    return `${rate}, p50/p99 ${figure(results.median(name, 'p50 ms'))}/${figure(results.median(name, 'p99 ms'))} ms`;
  };
  return {
    what: `${test.what}, ${test.connections} x ${test.inFlight} in flight`,
    ours: text('ours'),
    peer: text('micro'),
    ratio: results.ratio('ours', 'micro', 'MB/s'),
    target: test.aim,
  };
}

function growthOf(rss: readonly number[]): number {
  return (rss.at(-1) ?? Number.NaN) - (rss[0] ?? Number.NaN);
}

function growthRow(growths: readonly number[]): Row {
  const most = Math.max(...growths);
  return {
    what: 'growth of memory over the rounds of a case, at most',
    ours: `${figure(most)} MB`,
    peer: `${GROWTH_BUDGET_MB} MB at most`,
    ratio: GROWTH_BUDGET_MB / Math.max(LEAST_GROWTH_MB, most),
    target: 1,
  };
}

async function memoryRow(pair: BrokerPair): Promise<Row> {
  const ours = await pair.usage('ours');
  const micro = await pair.usage('micro');
  return {
    what: 'memory at most, over all of the above',
    ours: `${figure(ours.peakRssBytes / 1e6)} MB`,
    peer: `${figure(micro.peakRssBytes / 1e6)} MB; budget ${LOAD_BUDGET_MB} MB`,
    ratio: LOAD_BUDGET_MB / (ours.peakRssBytes / 1e6),
    target: 1,
  };
}
