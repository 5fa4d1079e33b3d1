// A rate limiter under test, alone in its process, of which it may take the time.
import { serveCommands } from '../harness/command.ts';
import { accuracyOf, bytesPerWait, freeTakeNanos, keptByAbortedTakes } from './limiter-tests.ts';

/** What the process can be told. */
export type LimiterPeerCommands = Readonly<{
  accuracyOf: typeof accuracyOf;
  bytesPerWait: typeof bytesPerWait;
  freeTakeNanos: typeof freeTakeNanos;
  keptByAbortedTakes: typeof keptByAbortedTakes;
}>;

const commands: LimiterPeerCommands = {
  accuracyOf,
  bytesPerWait,
  freeTakeNanos,
  keptByAbortedTakes,
};

serveCommands(commands);
