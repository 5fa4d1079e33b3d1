import type { OffsetLog, OffsetLogRecord } from '../../src/group/offset-log.ts';

interface Held {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly records: readonly OffsetLogRecord[];
}

/** An offset log in memory that can be slow and can fail. */
export class MemoryOffsetLog implements OffsetLog {
  /** What would be found after a restart. */
  readonly records: OffsetLogRecord[] = [];
  /** Appends wait for {@link MemoryOffsetLog.release} or {@link MemoryOffsetLog.refuse}. */
  isHeld = false;
  /** Appends fail with this. */
  failure: Error | undefined;
  readonly #held: Held[] = [];

  get heldAppends(): number {
    return this.#held.length;
  }

  append(records: readonly OffsetLogRecord[]): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (!this.isHeld) {
      this.records.push(...records);
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#held.push({ resolve, reject, records });
    return promise;
  }

  /** Completes appends in the order in which they were made, all of them unless told how many. */
  release(count: number = this.#held.length): void {
    for (const held of this.#held.splice(0, count)) {
      this.records.push(...held.records);
      held.resolve();
    }
  }

  refuse(reason: Error): void {
    for (const held of this.#held.splice(0)) held.reject(reason);
  }

  /**
   * A crash of the process: some of the appends under way are found after it. They are refused all
   * the same, so that whoever waits for them can be put away.
   */
  crash(options: { readonly keeps: number }): void {
    this.failure = new Error('the process is dead');
    const held = this.#held.splice(0);
    for (const { records } of held.slice(0, options.keeps)) this.records.push(...records);
    for (const { reject } of held) reject(this.failure);
  }
}
