import type { Clock } from '@logloft/clock';
import type { Output } from './output.ts';

/** What a command runs in. */
export interface CommandSurroundings {
  readonly clock: Clock;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the command is to end cleanly. */
  readonly stop: AbortSignal;
}
