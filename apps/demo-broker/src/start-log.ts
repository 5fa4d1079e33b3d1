import type { BrokerLogger } from '@logloft/broker';
import type { WriteLine } from './logger.ts';

/** How many lines wait at most; a start does not write more, and memory stays bounded. */
const MAX_HELD_LINES = 10_000;

/** A logger whose lines can wait until something else was written first. */
export class StartLog {
  readonly logger: BrokerLogger;
  readonly #write: WriteLine;
  #held: string[] | undefined;

  constructor(
    create: (write: WriteLine) => BrokerLogger,
    options: { readonly write: WriteLine; readonly hold: boolean },
  ) {
    this.#write = options.write;
    this.#held = options.hold ? [] : undefined;
    this.logger = create((line) => this.#take(line));
  }

  /** Writes what waited; from now on lines are written at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#write(line);
  }

  #take(line: string): void {
    if (this.#held === undefined) this.#write(line);
    else if (this.#held.length < MAX_HELD_LINES) this.#held.push(line);
  }
}
