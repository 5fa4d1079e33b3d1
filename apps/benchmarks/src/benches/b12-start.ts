import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { Child } from '../harness/child.ts';
import { figure, megabytes, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type Measured } from '../harness/rounds.ts';
import { ScratchDirectory } from '../harness/scratch.ts';
import type { EchoServerCommands } from '../peers/echo-server.ts';
import type { FrameGeneratorCommands } from '../peers/frame-generator.ts';
import type { BrokerStart, LogloftBrokerCommands } from '../peers/logloft-broker.ts';
import { TOPIC } from './broker-pair.ts';

const MIB = 1024 * 1024;
const READY_MS = 300;
const NODE_STARTS = 4;
const IDLE_BYTES = 80e6;
/** After this the start is over and the memory tells something. */
const SETTLE_MS = 500;
const PARTITIONS = 1000;
const SMOKE_PARTITIONS = 100;
const LOG_BYTES = 2048 * MIB;
const SMOKE_LOG_BYTES = 64 * MIB;

/** Time until a broker is ready, and its memory when it does nothing. */
export const b12: Bench = {
  id: 'B12',
  title: 'B12 start-up, and memory at rest, against `node -e 0`',
  async run(options: BenchOptions): Promise<Report> {
    return {
      title: this.title,
      rows: [
        ...(await emptyRows(options.rounds)),
        await manyPartitionsRow(options),
        await crashedRow(options.smoke ? SMOKE_LOG_BYTES : LOG_BYTES),
      ],
    };
  },
};

interface Started {
  readonly child: Child<LogloftBrokerCommands>;
  readonly port: number;
  /** From the fork until the port is known. */
  readonly readyMs: number;
}

async function start(options: BrokerStart): Promise<Started> {
  const began = performance.now();
  const child = new Child<LogloftBrokerCommands>({ file: 'logloft-broker.js' });
  const port = await child.call('start', options);
  return { child, port, readyMs: performance.now() - began };
}

async function emptyRows(rounds: number): Promise<Row[]> {
  const results = await interleave(
    [
      { name: 'ours', run: startEmpty },
      { name: 'node', run: startNode },
      { name: 'bare', run: restBare },
    ],
    rounds,
  );
  const ready = results.summary('ours', 'ms');
  const rss = results.summary('ours', 'rss');
  return [
    {
      what: 'ready, empty',
      ours: spread(ready, 'ms'),
      peer: `node -e 0 ${spread(results.summary('node', 'ms'), 'ms')}`,
      ratio: results.ratio('node', 'ours', 'ms'),
      target: 1 / NODE_STARTS,
    },
    {
      what: 'ready, empty',
      ours: `${figure(ready.median)} ms`,
      peer: `at most ${READY_MS} ms`,
      ratio: READY_MS / ready.median,
      target: 1,
    },
    {
      what: 'memory at rest',
      ours: megabytes(rss.median),
      peer: `a bare Node server ${megabytes(results.median('bare', 'rss'))}; at most ${megabytes(IDLE_BYTES)}`,
      ratio: IDLE_BYTES / rss.median,
      target: 1,
    },
  ];
}

async function startEmpty(): Promise<Measured> {
  const scratch = new ScratchDirectory();
  try {
    const { child, readyMs } = await start({ directory: scratch.path });
    await settle();
    const { rssBytes } = await child.call('usage');
    await child.end();
    return { ms: readyMs, rss: rssBytes };
  } finally {
    scratch.remove();
  }
}

/** How much of the memory is Node's own: it depends on how much of its binary the system has mapped. */
async function restBare(): Promise<Measured> {
  const child = new Child<EchoServerCommands>({ file: 'echo-server.js' });
  await child.call('start');
  await settle();
  const { rssBytes } = await child.call('usage');
  await child.end();
  return { rss: rssBytes };
}

async function startNode(): Promise<Measured> {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return { ms: performance.now() - began };
}

async function manyPartitionsRow({ rounds, smoke }: BenchOptions): Promise<Row> {
  const partitions = smoke ? SMOKE_PARTITIONS : PARTITIONS;
  const scratch = new ScratchDirectory();
  try {
    const directory = scratch.path;
    const topics = [{ name: TOPIC, partitions }];
    const first = await start({ directory, topics });
    await first.child.end();
    const results = await interleave(
      [
        {
          name: 'ours',
          run: async () => {
            const { child, readyMs } = await start({ directory });
            await settle();
            const { rssBytes } = await child.call('usage');
            await child.end();
            return { ms: readyMs, rss: rssBytes };
          },
        },
        { name: 'node', run: startNode },
      ],
      rounds,
    );
    return {
      what: `ready, ${partitions} partitions after a clean stop`,
      ours: `${spread(results.summary('ours', 'ms'), 'ms')}, ${megabytes(results.median('ours', 'rss'))} at rest; made in ${figure(first.readyMs)} ms`,
      peer: `node -e 0 ${figure(results.median('node', 'ms'))} ms`,
      ratio: results.ratio('node', 'ours', 'ms'),
      target: undefined,
    };
  } finally {
    scratch.remove();
  }
}

async function crashedRow(bytes: number): Promise<Row> {
  const scratch = new ScratchDirectory();
  try {
    const directory = scratch.path;
    const crashed = await start({ directory, topics: [{ name: TOPIC, partitions: 1 }] });
    const generator = new Child<FrameGeneratorCommands>({ file: 'frame-generator.js' });
    await generator.call('produce', {
      port: crashed.port,
      topic: TOPIC,
      partitions: 1,
      batchBytes: MIB / 4,
      connections: 1,
      inFlight: 5,
      requests: bytes / (MIB / 4),
    });
    await generator.end();
    await crashed.child.kill();
    const { child, readyMs } = await start({ directory });
    const node = await startNode();
    await child.end();
    return {
      what: `ready, ${figure(bytes / 1e9)} GB of log after kill -9`,
      ours: `${figure(readyMs)} ms (${figure(bytes / 1e6 / (readyMs / 1000))} MB/s)`,
      peer: `node -e 0 ${figure(node['ms'] ?? 0)} ms`,
      ratio: (node['ms'] ?? 0) / readyMs,
      target: undefined,
    };
  } finally {
    scratch.remove();
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}
