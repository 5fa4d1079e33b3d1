import type { Deadline, DeadlineQueue } from '../purgatory/deadline-queue.ts';
import type { Partition } from '../topics/partition.ts';
import type { FoundOffset, RemoteOffsets } from './remote-offsets.ts';

/** What bounds {@link TimedLookups}. */
export interface TimedLookupsOptions {
  readonly deadlines: DeadlineQueue;
  /** Ms from the first look-up on, for all of them. */
  readonly timeoutMs: number;
  /** The client's connection; when it goes they end. */
  readonly gone: AbortSignal;
}

/** The remote tier for the look-ups of one request, which have one time limit among them. */
export class TimedLookups implements RemoteOffsets {
  readonly #remote: RemoteOffsets;
  readonly #options: TimedLookupsOptions;
  readonly #ended = new AbortController();
  #deadline: Deadline | undefined;
  #isOverdue = false;

  constructor(remote: RemoteOffsets, options: TimedLookupsOptions) {
    this.#remote = remote;
    this.#options = options;
  }

  /** Whether look-ups were given up because their time was over. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  firstAtOrAfter(partition: Partition, timestamp: number): Promise<FoundOffset | undefined> {
    this.#begin();
    return this.#remote.firstAtOrAfter(partition, timestamp, this.#ended.signal);
  }

  maxTimestamp(partition: Partition): Promise<FoundOffset | undefined> {
    this.#begin();
    return this.#remote.maxTimestamp(partition, this.#ended.signal);
  }

  errorCodeOf(error: unknown): number | undefined {
    return this.#remote.errorCodeOf(error);
  }

  /** To be called when the request is answered: leaves no deadline and no listener behind. */
  end(): void {
    this.#deadline?.cancel();
    this.#options.gone.removeEventListener('abort', this.#onGone);
  }

  #begin(): void {
    if (this.#deadline !== undefined) return;
    const { deadlines, timeoutMs, gone } = this.#options;
    this.#deadline = deadlines.add({ onDeadline: () => this.#onDeadline() }, timeoutMs);
    if (gone.aborted) this.#onGone();
    else gone.addEventListener('abort', this.#onGone, { once: true });
  }

  #onDeadline(): void {
    this.#isOverdue = true;
    this.#ended.abort();
  }

  readonly #onGone = (): void => this.#ended.abort();
}
