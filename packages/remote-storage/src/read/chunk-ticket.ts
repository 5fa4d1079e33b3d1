import type { Clock, Timer } from '@logloft/clock';
import type { ChunkBytes } from '../cache/chunk-bytes.ts';
import { RemoteStorageError } from '../errors.ts';
import { unlessAborted } from '../unless-aborted.ts';

/** What a ticket is for, and whom it tells when it is given up. */
export interface ChunkTicketOptions {
  /** Key of the log object. */
  readonly object: string;
  readonly index: number;
  /** When bytes of it last moved, in monotonic ms. */
  readonly progressMs: () => number;
  /** Told when nobody wants the chunk by this ticket any more. */
  readonly onLeave: () => void;
}

/** How the holder of a ticket waits. */
export interface TicketWait {
  readonly clock: Clock;
  /** Ms without a byte after which the wait is given up. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

type Outcome =
  | { readonly chunk: ChunkBytes; readonly error?: undefined }
  | { readonly chunk?: undefined; readonly error: unknown };

/** One reader's claim to a chunk that is being loaded. */
export class ChunkTicket {
  readonly index: number;
  readonly #options: ChunkTicketOptions;
  readonly #arrived = Promise.withResolvers<void>();
  #outcome: Outcome | undefined;
  #over = false;

  constructor(options: ChunkTicketOptions) {
    this.index = options.index;
    this.#options = options;
  }

  /** Hands a chunk over, held for the reader. */
  give(chunk: ChunkBytes): void {
    this.#settle({ chunk });
  }

  /** Says that it will not come. */
  fail(error: unknown): void {
    this.#settle({ error });
  }

  /**
   * The chunk, held for the caller from now on. Once only.
   *
   * @throws what loading it failed with; RemoteStorageError `timeout`; the reason of the signal, after
   *   which the ticket must be cancelled like any other
   */
  async wait({ clock, timeoutMs, signal }: TicketWait): Promise<ChunkBytes> {
    const beganMs = clock.monotonic();
    let timer: Timer | undefined;
    const watch = (afterMs: number): void => {
      timer = clock.setTimer(afterMs, () => {
        const movedMs = Math.max(beganMs, this.#options.progressMs());
        const silentMs = clock.monotonic() - movedMs;
        if (silentMs < timeoutMs) watch(timeoutMs - silentMs);
        else this.#giveUp(timeoutMs);
      });
    };
    if (this.#outcome === undefined) watch(timeoutMs);
    try {
      await unlessAborted(this.#arrived.promise, signal);
    } finally {
      timer?.cancel();
    }
    const outcome = this.#outcome;
    this.#outcome = undefined;
    this.#over = true;
    if (outcome?.chunk !== undefined) return outcome.chunk;
    throw outcome?.error ?? this.#cancelled();
  }

  /** Gives the claim up. Whoever waits by it is told so; a chunk that is there is let go. */
  cancel(): void {
    if (this.#over) return;
    const settled = this.#outcome;
    this.#over = true;
    this.#outcome = undefined;
    settled?.chunk?.release();
    this.#arrived.resolve();
    if (settled === undefined) this.#options.onLeave();
  }

  #settle(outcome: Outcome): void {
    if (this.#over || this.#outcome !== undefined) {
      outcome.chunk?.release();
      return;
    }
    this.#outcome = outcome;
    this.#arrived.resolve();
  }

  #giveUp(timeoutMs: number): void {
    const { object, index, onLeave } = this.#options;
    const error = new RemoteStorageError(
      'timeout',
      `Reading chunk ${index} of the object ${JSON.stringify(object)} moved no byte for ${timeoutMs} ms; ` +
        'the load goes on, and reading again may find it',
      { key: object },
    );
    this.#settle({ error });
    onLeave();
  }

  #cancelled(): RemoteStorageError {
    const { object } = this.#options;
    return new RemoteStorageError('aborted', 'The read has ended', { key: object });
  }
}
