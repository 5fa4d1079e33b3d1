/** A value that was written, but of which nobody knows yet whether it will last. */
export interface PendingValue<Value> {
  readonly value: Value | undefined;
}

/**
 * A value whose writes become durable some time after they were made, and may fail to. The newest
 * write counts until it has failed; then the one before it does.
 */
export class VersionedValue<Value> {
  #durable: Value | undefined;
  // Undefined most of the time: millions of these may exist, and few are being written.
  #pending: PendingValue<Value>[] | undefined;

  /** What was written last and has not failed; `undefined` for nothing. */
  get current(): Value | undefined {
    const last = this.#pending?.at(-1);
    return last === undefined ? this.#durable : last.value;
  }

  /** The newest write that is known to last; `undefined` for nothing. */
  get durable(): Value | undefined {
    return this.#durable;
  }

  /** Whether there is neither a value nor a write under way. */
  get isVacant(): boolean {
    return this.#pending === undefined && this.#durable === undefined;
  }

  /** @param value `undefined` deletes */
  write(value: Value | undefined): PendingValue<Value> {
    const pending: PendingValue<Value> = { value };
    this.#pending ??= [];
    this.#pending.push(pending);
    return pending;
  }

  /** The write has become durable, and with it whatever was written before it. */
  confirm(write: PendingValue<Value>): void {
    const index = this.#pending?.indexOf(write) ?? -1;
    if (index < 0) return;
    this.#durable = write.value;
    this.#forget(index + 1, 0);
  }

  /** The write never happened. */
  fail(write: PendingValue<Value>): void {
    const index = this.#pending?.indexOf(write) ?? -1;
    if (index >= 0) this.#forget(1, index);
  }

  #forget(count: number, from: number): void {
    this.#pending?.splice(from, count);
    if (this.#pending?.length === 0) this.#pending = undefined;
  }
}
