import type { Bench, BenchOptions } from '../harness/bench.ts';
import { Child } from '../harness/child.ts';
import { figure, megabytes, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, type RoundResults } from '../harness/rounds.ts';
import { textTable } from '../harness/text-table.ts';
import { POOL_KINDS, type PoolKind } from '../peers/pool-kinds.ts';
import type { PoolPeerCommands } from '../peers/pool-peer.ts';
import type { GivenUp } from '../peers/pool-tests.ts';
import type { WaiterSignals } from '../peers/pool-waiters.ts';

const OURS: PoolKind = '@logloft/bufferpool';
/** Kafka's own pool in Java needs 4,600. */
const HAND_OFF_AIM_NANOS = 2000;
const WAITERS = 10_000;
const WAITERS_AIM_BYTES = 4e6;
const HELD_MS = 600_000;
/** What a million waits that are over may leave behind: nothing that grows with them. */
const KEPT_AIM_BYTES = 1e6;
/** Less than this is nothing. */
const LEAST_BYTES = 1e5;

type Peer = Child<PoolPeerCommands>;

/** Waiting for a buffer: speed, memory, order, and what is left of those who gave up. */
export const p2: Bench = {
  id: 'P2',
  title: 'P2 buffer pool: waiters, against generic-pool, async-sema and lightning-pool',
  async run(options: BenchOptions): Promise<Report> {
    const over = options.smoke ? 20_000 : 1_000_000;
    const peers = new Map(
      POOL_KINDS.map((kind) => [kind, new Child<PoolPeerCommands>({ file: 'pool-peer.js' })]),
    );
    try {
      // Memory first, in heaps that have seen nothing else.
      const memory = await heldRows(over);
      const findings = new Map<PoolKind, Finding>();
      for (const [kind, peer] of peers) findings.set(kind, await find(kind, peer, over));
      const speed = await speedOf(peers, options);
      return {
        title: this.title,
        rows: [handOffRow(speed), ...memory],
        notes: comparison({ findings, speed, over }),
      };
    } finally {
      await Promise.all([...peers.values()].map((peer) => peer.end()));
    }
  },
};

async function heldRows(over: number): Promise<Row[]> {
  const rows: Row[] = [];
  const texts: readonly (readonly [WaiterSignals, string])[] = [
    ['none', 'each with a deadline'],
    ['shared', 'each with a deadline, one signal for all'],
    ['own', 'each with a deadline and a signal'],
  ];
  for (const [signals, text] of texts) {
    const peer = new Child<PoolPeerCommands>({ file: 'pool-peer.js' });
    const test = { count: WAITERS, signals, heldMs: HELD_MS };
    const { heldBytes, leftBytes, timers } = await peer.call('holdWaiters', test);
    await peer.end();
    rows.push({
      what: `${WAITERS} wait for 10 simulated minutes, ${text}`,
      ours: `${megabytes(heldBytes)}, ${timers} timer; ${megabytes(Math.max(0, leftBytes))} when all have left`,
      peer: `at most ${megabytes(WAITERS_AIM_BYTES)}`,
      ratio: WAITERS_AIM_BYTES / heldBytes,
      target: signals === 'none' ? 1 : undefined,
    });
  }
  rows.push(await abortedRow(over));
  return rows;
}

async function abortedRow(over: number): Promise<Row> {
  const ours = new Child<PoolPeerCommands>({ file: 'pool-peer.js' });
  const kept = await ours.call('keptByAborted', over);
  await ours.end();
  const bare = new Child<PoolPeerCommands>({ file: 'pool-peer.js' });
  const keptByNode = await bare.call('keptByBareSignals', over);
  await bare.end();
  return {
    what: `kept after ${over} waits that were aborted, each by its own signal`,
    ours: megabytes(kept),
    peer: `at most ${megabytes(KEPT_AIM_BYTES)} more than as many bare signals, ${megabytes(keptByNode)}`,
    ratio: KEPT_AIM_BYTES / Math.max(LEAST_BYTES, kept - keptByNode),
    target: 1,
  };
}

interface Finding {
  readonly bytesPerWaiter: number;
  readonly keepsOrder: boolean;
  readonly givenUp: GivenUp | undefined;
}

async function find(kind: PoolKind, peer: Peer, over: number): Promise<Finding> {
  const bytesPerWaiter = await peer.call('bytesPerWaiter', { kind, count: WAITERS });
  const keepsOrder = await peer.call('keepsOrder', { kind, count: 1000 });
  // In a process of its own: what it leaves behind would slow down what comes after it.
  const another = new Child<PoolPeerCommands>({ file: 'pool-peer.js' });
  const givenUp = await another.call('giveUp', { kind, count: over });
  await another.end();
  return { bytesPerWaiter, keepsOrder, givenUp };
}

async function speedOf(
  peers: ReadonlyMap<PoolKind, Peer>,
  { smoke, rounds }: BenchOptions,
): Promise<RoundResults> {
  const count = smoke ? 20_000 : 200_000;
  const contenders = [...peers].map(([kind, peer]) => ({
    name: kind,
    run: async () => ({
      free: await peer.call('freeNanos', { kind, count }),
      handOff: await peer.call('handOffNanos', { kind, count }),
    }),
  }));
  return interleave(contenders, rounds);
}

function handOffRow(speed: RoundResults): Row {
  return {
    what: 'hand-off of the only buffer to one that waits',
    ours: spread(speed.summary(OURS, 'handOff'), 'ns'),
    peer: `at most ${HAND_OFF_AIM_NANOS} ns`,
    ratio: HAND_OFF_AIM_NANOS / speed.median(OURS, 'handOff'),
    target: 1,
  };
}

interface Compared {
  readonly findings: ReadonlyMap<PoolKind, Finding>;
  readonly speed: RoundResults;
  readonly over: number;
}

function comparison({ findings, speed, over }: Compared): string[] {
  const head = [
    '',
    'acquire, release',
    'hand-off',
    'a waiter',
    'order kept',
    `kept after ${over} time-outs`,
    'next served',
  ];
  const rows = [...findings].map(([kind, { bytesPerWaiter, keepsOrder, givenUp }]) => [
    kind,
    `${figure(speed.median(kind, 'free'))} ns`,
    `${figure(speed.median(kind, 'handOff'))} ns`,
    `${figure(bytesPerWaiter)} B`,
    keepsOrder ? 'yes' : 'NO',
    givenUp === undefined ? 'cannot give up' : megabytes(Math.max(0, givenUp.keptBytes)),
    nextServed(givenUp),
  ]);
  return [
    'Awaited calls of each library, a 16 KiB buffer each; a waiter has a time-out where there is such:',
    ...textTable([head, ...rows]),
  ];
}

function nextServed(givenUp: GivenUp | undefined): string {
  if (givenUp === undefined) return '-';
  return givenUp.isNextServed ? 'yes' : 'NO';
}
