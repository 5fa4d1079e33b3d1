import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@logloft/clock';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { Child } from '../harness/child.ts';
import { figure, megabytes, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type Measured, type RoundResults } from '../harness/rounds.ts';
import { ScratchDirectory } from '../harness/scratch.ts';
import type { Dialect } from '../peers/null-store/route.ts';
import type { NullStoreCommands } from '../peers/null-store.ts';
import type { StoreClientCommands } from '../peers/store-client.ts';
import type { WayName } from '../peers/store-ways/open-way.ts';

const MIB = 1024 * 1024;
const PART_BYTES = 8 * MIB;
const MOST_EXTRA_BYTES = 64 * MIB;

interface Store {
  readonly dialect: Dialect;
  readonly helper: string;
  /** CPU of the client in ms per MiB up, at most; `undefined`: half of the helper's. */
  readonly cpuBudget: number | undefined;
}

const STORES: readonly Store[] = [
  { dialect: 's3', helper: 'lib-storage Upload', cpuBudget: 1.4 },
  { dialect: 'gcs', helper: 'bucket.upload', cpuBudget: undefined },
  { dialect: 'azure', helper: 'uploadStream', cpuBudget: 1 },
];

interface Bed {
  readonly server: Child<NullStoreCommands>;
  readonly port: number;
  readonly dialect: Dialect;
  readonly file: string;
  readonly bytes: number;
}

/** Copies to a store and cold reads from it, against the SDK's helper and plain HTTP. */
export const r1: Bench = {
  id: 'R1',
  title: 'R1 a segment to a remote store that discards, and back, against the SDK and plain HTTP',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    const bytes = (smoke ? 32 : 256) * MIB;
    using scratch = new ScratchDirectory();
    const file = join(scratch.path, 'segment.log');
    writeSegment(file, bytes);
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const store of STORES) {
      const server = new Child<NullStoreCommands>({ file: 'null-store.js' });
      try {
        const port = await server.call('start', store.dialect);
        const bed = { server, port, dialect: store.dialect, file, bytes };
        rows.push(...(await copyRows(store, bed, rounds)), ...(await readRows(store, bed, rounds)));
        notes.push(await loopNote(store, bed, rounds));
      } finally {
        await server.end();
      }
    }
    return { title: this.title, rows, notes };
  },
};

/** Bytes that look like nothing in particular. */
function writeSegment(file: string, bytes: number): void {
  const piece = seededRandom(1).fill(new Uint8Array(MIB));
  const descriptor = openSync(file, 'w');
  for (let at = 0; at < bytes; at += MIB) writeSync(descriptor, piece);
  closeSync(descriptor);
}

async function measure(
  { port, dialect, file, bytes }: Bed,
  { way, direction }: { readonly way: WayName; readonly direction: 'up' | 'down' },
): Promise<Measured> {
  const client = new Child<StoreClientCommands>({ file: 'store-client.js' });
  try {
    const place = { dialect, port };
    const task = { way, place, file, bytes, direction };
    // Memory is that of the first move; speed that of the second, when all code is compiled.
    const { peakExtraBytes } = await client.call('run', { ...task, watched: true });
    const { ms, cpuMs } = await client.call('run', { ...task, watched: false });
    const { loopP99Ms } = await client.call('run', { ...task, watched: true });
    return {
      'MiB/s': bytes / MIB / (ms / 1_000),
      'CPU ms/MiB': cpuMs / (bytes / MIB),
      'extra MB': peakExtraBytes / 1e6,
      'loop p99 ms': loopP99Ms,
    };
  } finally {
    await client.end();
  }
}

async function rounds3(bed: Bed, direction: 'up' | 'down', rounds: number): Promise<RoundResults> {
  const ways: readonly WayName[] = ['ours', 'helper', 'bare'];
  return await interleave(
    ways.map((way) => ({ name: way, run: () => measure(bed, { way, direction }) })),
    rounds,
  );
}

async function copyRows(store: Store, bed: Bed, rounds: number): Promise<Row[]> {
  const results = await rounds3(bed, 'up', rounds);
  const { dialect, helper, cpuBudget } = store;
  const cpu = (name: WayName): number => results.median(name, 'CPU ms/MiB');
  const extra = (name: WayName): number => results.median(name, 'extra MB');
  const most = Math.min(MOST_EXTRA_BYTES / 1e6, Math.max(extra('helper'), 1));
  const requests = await requestsOf(bed, 'up');
  const allowed = Math.ceil(bed.bytes / PART_BYTES) + 4;
  return [
    speedRow(results, { what: `${dialect} copy`, peer: 'helper', label: helper, aim: 1 }),
    speedRow(results, { what: `${dialect} copy`, peer: 'bare', label: 'plain HTTP', aim: 0.6 }),
    {
      what: `${dialect} copy, CPU`,
      ours: spread(results.summary('ours', 'CPU ms/MiB'), 'ms/MiB'),
      peer:
        cpuBudget === undefined
          ? `half of ${helper} ${figure(cpu('helper'))}`
          : `budget ${cpuBudget}; ${helper} ${figure(cpu('helper'))}, plain ${figure(cpu('bare'))}`,
      ratio: (cpuBudget ?? cpu('helper') / 2) / cpu('ours'),
      target: 1,
    },
    {
      what: `${dialect} copy, memory at most`,
      ours: megabytes(extra('ours') * 1e6),
      peer: `${helper} ${megabytes(extra('helper') * 1e6)}, and 67.1 MB`,
      ratio: most / Math.max(extra('ours'), 1),
      target: 1,
    },
    {
      what: `${dialect} copy, requests`,
      ours: String(requests),
      peer: `${allowed} at most`,
      ratio: allowed / requests,
      target: 1,
    },
  ];
}

async function readRows(store: Store, bed: Bed, rounds: number): Promise<Row[]> {
  const results = await rounds3(bed, 'down', rounds);
  const { dialect } = store;
  const requests = await requestsOf(bed, 'down');
  const allowed = Math.ceil(bed.bytes / (4 * MIB)) + 1;
  return [
    speedRow(results, {
      what: `${dialect} read`,
      peer: 'helper',
      label: 'one GET of the SDK',
      aim: 1,
    }),
    speedRow(results, { what: `${dialect} read`, peer: 'bare', label: 'plain HTTP', aim: 0.6 }),
    {
      what: `${dialect} read, CPU`,
      ours: spread(results.summary('ours', 'CPU ms/MiB'), 'ms/MiB'),
      peer: `SDK ${figure(results.median('helper', 'CPU ms/MiB'))}, plain ${figure(results.median('bare', 'CPU ms/MiB'))}`,
      ratio: results.ratio('helper', 'ours', 'CPU ms/MiB'),
      target: undefined,
    },
    {
      what: `${dialect} read, requests`,
      ours: String(requests),
      peer: `${allowed} at most: one per 4 MiB, and the manifest`,
      ratio: allowed / requests,
      target: 1,
    },
  ];
}

function speedRow(
  results: RoundResults,
  row: {
    readonly what: string;
    readonly peer: WayName;
    readonly label: string;
    readonly aim: number;
  },
): Row {
  return {
    what: row.what,
    ours: spread(results.summary('ours', 'MiB/s'), 'MiB/s'),
    peer: `${row.label} ${figure(results.median(row.peer, 'MiB/s'))} MiB/s`,
    ratio: results.ratio('ours', row.peer, 'MiB/s'),
    target: row.aim,
  };
}

/** Requests that one move of ours takes. What was copied by the measurements above is there. */
async function requestsOf(bed: Bed, direction: 'up' | 'down'): Promise<number> {
  const client = new Child<StoreClientCommands>({ file: 'store-client.js' });
  try {
    const { dialect, port, file, bytes } = bed;
    const place = { dialect, port };
    await bed.server.call('requests');
    const how = { way: 'ours' as const, watched: false };
    await client.call('run', { ...how, place, file, bytes, direction });
    return total(await bed.server.call('requests'));
  } finally {
    await client.end();
  }
}

function total(requests: Readonly<Record<string, number>>): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

/** What copying does to the main loop, with and without a thread of its own. */
async function loopNote(store: Store, bed: Bed, rounds: number): Promise<string> {
  const results = await interleave(
    (['ours', 'worker'] as const).map((way) => ({
      name: way,
      run: () => measure(bed, { way, direction: 'up' }),
    })),
    rounds,
  );
  const of = (way: WayName): string =>
    `${figure(results.median(way, 'loop p99 ms'))} ms at ${figure(results.median(way, 'MiB/s'))} MiB/s and ${figure(results.median(way, 'CPU ms/MiB'))} CPU ms/MiB`;
  return `${store.dialect}: delay of the main loop while copying at full speed, p99: ${of('ours')}; in a worker thread ${of('worker')}`;
}
