/** There is no room for more bytes. */
export class MemoryBudgetError extends Error {
  constructor(budget: { readonly usedBytes: number; readonly maxBytes: number }, bytes: number) {
    super(
      `no room for ${bytes} bytes: ${budget.usedBytes} of ${budget.maxBytes} are taken (option maxBytes)`,
    );
    this.name = 'MemoryBudgetError';
  }
}

/** Counts the bytes that a stub holds, stored and on their way in, and refuses those too many. */
export class MemoryBudget {
  readonly maxBytes: number;
  #usedBytes = 0;

  /** @throws RangeError when `maxBytes` is not an integer of 0 or more */
  constructor(maxBytes: number) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
      throw new RangeError(`maxBytes takes an integer of 0 or more, got ${maxBytes}`);
    }
    this.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @throws MemoryBudgetError when there is no room for so many more */
  assertRoom(bytes: number): void {
    if (this.#usedBytes + bytes > this.maxBytes) throw new MemoryBudgetError(this, bytes);
  }

  /** @throws MemoryBudgetError when there is no room */
  reserve(bytes: number): void {
    this.assertRoom(bytes);
    this.#usedBytes += bytes;
  }

  /** Gives back what was reserved. */
  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
