import type { Bench, BenchOptions } from '../harness/bench.ts';
import { Child } from '../harness/child.ts';
import { figure } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type Measured, type RoundResults } from '../harness/rounds.ts';
import { runQueueWaitMs } from '../harness/run-queue.ts';
import { warmPageMemory } from '../harness/scratch.ts';
import { cpuMicrosBetween } from '../harness/usage.ts';
import type { EchoServerCommands } from '../peers/echo-server.ts';
import type { Latency } from '../peers/load.ts';
import { BrokerPair, TOPIC } from './broker-pair.ts';

const KIB = 1024;
const BATCH_BYTES = 16 * KIB;
const RATE_BYTES = 50e6;
const REQUESTS_PER_SECOND = RATE_BYTES / BATCH_BYTES;
const ECHO_BYTES = 100;
const ROUND_SECONDS = 2;
const SMOKE_SECONDS = 0.5;
/** The median may take four times an echo. */
const P50_AIM = 1 / 4;
const P99_LIMIT_MS = 10;
/** From here on a latency says more about other work on the machine than about the broker. */
const MAX_WAITING_SHARE = 0.05;

/** Latency at half load, without coordinated omission, against an echo. */
export const b9: Bench = {
  id: 'B9',
  title:
    'B9 latency at 50 MB/s of 16 KiB requests (acks=1), against an echo of 100 B at the same rate',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    warmPageMemory(RATE_BYTES * ROUND_SECONDS);
    const requests = Math.round(REQUESTS_PER_SECOND * (smoke ? SMOKE_SECONDS : ROUND_SECONDS));
    const pace = { requestsPerSecond: REQUESTS_PER_SECOND, requests };
    const pair = await BrokerPair.start(1);
    const echo = new Child<EchoServerCommands>({ file: 'echo-server.js' });
    try {
      const echoPort = await echo.call('start');
      const results = await interleave(
        [
          { name: 'ours', run: () => measure(pair, 'ours', pace) },
          { name: 'micro', run: () => measure(pair, 'micro', pace) },
          {
            name: 'echo',
            run: async () => {
              const load = { port: echoPort, bytes: ECHO_BYTES, ...pace };
              return latencyOf('', await pair.generator.call('echo', load));
            },
          },
        ],
        rounds,
      );
      return { title: this.title, rows: rowsOf(results), notes: notesOf(results) };
    } finally {
      await Promise.all([pair.end(), echo.end()]);
    }
  },
};

interface Pace {
  readonly requestsPerSecond: number;
  readonly requests: number;
}

async function measure(pair: BrokerPair, name: 'ours' | 'micro', pace: Pace): Promise<Measured> {
  const load = {
    port: pair.portOf(name),
    topic: TOPIC,
    batchBytes: BATCH_BYTES,
    // The micro-broker does not let a fetch wait.
    consume: name === 'ours',
    ...pace,
  };
  const waitedBefore = runQueueWaitMs(pair[name].pid);
  const before = await pair.usage(name);
  const result = await pair.generator.call('paced', load);
  const after = await pair.usage(name);
  const waitedMs = runQueueWaitMs(pair[name].pid) - waitedBefore;
  const seconds = pace.requests / pace.requestsPerSecond;
  await pair.clear(name);
  return {
    ...latencyOf('produce ', result.produce),
    ...latencyOf('end to end ', result.endToEnd),
    'kept rate': result.keptRate,
    'CPU share': cpuMicrosBetween(before, after) / 1e6 / seconds,
    'waiting share': waitedMs / 1000 / seconds,
  };
}

function latencyOf(prefix: string, latency: Latency): Measured {
  return {
    [`${prefix}p50`]: latency.p50,
    [`${prefix}p99`]: latency.p99,
    [`${prefix}p99.9`]: latency.p999,
  };
}

function rowsOf(results: RoundResults): Row[] {
  const text = (name: string, prefix: string): string =>
    ['p50', 'p99', 'p99.9']
      .map((measure) => `${measure} ${figure(results.median(name, `${prefix}${measure}`))}`)
      .join(', ');
  const echo = `echo ${text('echo', '')} ms`;
  const rows: Row[] = ['produce', 'end to end'].flatMap((what) => {
    const ours = `${text('ours', `${what} `)} ms`;
    const p99 = results.median('ours', `${what} p99`);
    return [
      {
        what: `${what}, p50`,
        ours,
        peer: echo,
        ratio: results.median('echo', 'p50') / results.median('ours', `${what} p50`),
        target: P50_AIM,
      },
      {
        what: `${what}, p99`,
        ours: `${figure(p99)} ms`,
        peer: `at most ${P99_LIMIT_MS} ms`,
        ratio: P99_LIMIT_MS / p99,
        target: 1,
      },
    ];
  });
  rows.push({
    what: 'produce, p50, against the micro-broker without a consumer',
    ours: `${figure(results.median('ours', 'produce p50'))} ms`,
    peer: `micro-broker ${text('micro', 'produce ')} ms`,
    ratio: results.median('micro', 'produce p50') / results.median('ours', 'produce p50'),
    target: undefined,
  });
  return rows;
}

function notesOf(results: RoundResults): string[] {
  const kept = results.median('ours', 'kept rate') * 100;
  const cpuOf = (name: string): string => (results.median(name, 'CPU share') * 100).toFixed(0);
  const echo = results.median('echo', 'p99');
  const notes = [
    `The generator kept ${kept.toFixed(0)} % of its rate; the broker used ${cpuOf('ours')} % of a core, the micro-broker, without a consumer, ${cpuOf('micro')} %.`,
  ];
  const waited = results.median('ours', 'waiting share');
  if (waited > MAX_WAITING_SHARE) {
    notes.push(
      `The broker waited ${(waited * 100).toFixed(0)} % of the time for a core that other work had: these latencies are the machine's.`,
    );
  }
  if (echo > P99_LIMIT_MS / 2) {
    notes.push(`The echo alone had a p99 of ${figure(echo)} ms: other work held the cores.`);
  }
  return notes;
}
