// A pool under test, alone in its process: nothing else is in the heap that is measured.
import { serveCommands } from '../harness/command.ts';
import { bytesPerWaiter, freeNanos, giveUp, handOffNanos, keepsOrder } from './pool-tests.ts';
import { holdWaiters, keptByAborted, keptByBareSignals } from './pool-waiters.ts';

/** What the process can be told. */
export type PoolPeerCommands = Readonly<{
  freeNanos: typeof freeNanos;
  handOffNanos: typeof handOffNanos;
  bytesPerWaiter: typeof bytesPerWaiter;
  keepsOrder: typeof keepsOrder;
  giveUp: typeof giveUp;
  holdWaiters: typeof holdWaiters;
  keptByAborted: typeof keptByAborted;
  keptByBareSignals: typeof keptByBareSignals;
}>;

const commands: PoolPeerCommands = {
  freeNanos,
  handOffNanos,
  bytesPerWaiter,
  keepsOrder,
  giveUp,
  holdWaiters,
  keptByAborted,
  keptByBareSignals,
};

serveCommands(commands);
