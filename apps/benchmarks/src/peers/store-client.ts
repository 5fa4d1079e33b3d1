// Copies to a store and reads from it, in one of several ways: the adapters of this repository, the
// helpers of the SDKs, and bare HTTP. A process of its own, so that CPU and memory are those of the way
// alone.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveCommands } from '../harness/command.ts';
import { cpuMicrosBetween, ownUsage } from '../harness/usage.ts';
import { openWay, type WayName } from './store-ways/open-way.ts';
import type { StorePlace, StoreWay } from './store-ways/store-way.ts';

/** What to move. */
export interface StoreTask {
  readonly way: WayName;
  readonly place: StorePlace;
  /** The file to copy. */
  readonly file: string;
  readonly bytes: number;
  readonly direction: 'up' | 'down';
  /** Whether memory and the delay of the loop are watched, which costs a little. */
  readonly watched: boolean;
}

/** What it took. */
export interface StoreFigures {
  readonly ms: number;
  readonly cpuMs: number;
  /** Bytes of memory at most, above what the process had before. */
  readonly peakExtraBytes: number;
  readonly loopP99Ms: number;
}

// Kept over the moves, as by a program that runs for long: with its connections and its buffers.
let opened: StoreWay | undefined;

const commands = {
  async run(task: StoreTask): Promise<StoreFigures> {
    opened ??= await openWay(task.way, task.place);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let peak = 0;
    const before = ownUsage();
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    if (task.watched) delay.enable();
    else clearInterval(watch);
    const startedMs = performance.now();
    await move(opened, task);
    const ms = performance.now() - startedMs;
    delay.disable();
    clearInterval(watch);
    const after = ownUsage();
    return {
      ms,
      cpuMs: cpuMicrosBetween(before, after) / 1_000,
      peakExtraBytes: Math.max(0, peak - before.rssBytes),
      // The delay counts the interval itself.
      loopP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 1),
    };
  },
};

async function move(way: StoreWay, { file, bytes, direction }: StoreTask): Promise<void> {
  if (direction === 'up') await way.copy(file, bytes);
  else await way.read(bytes);
}

/** What the client can be told. */
export type StoreClientCommands = typeof commands;

serveCommands(commands, { onEnd: () => opened?.close() });
