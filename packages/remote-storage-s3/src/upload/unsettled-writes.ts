/** What a write that wanted an absent key would have stored. */
export interface ConditionalWrite {
  /** Of this write alone; goes with the object as metadata. */
  readonly token: string;
  readonly bytes: number;
  readonly crc: number;
}

const MAX_KEPT = 1_000;

/**
 * Conditional writes whose outcome nobody knows, because their answer was lost and the store could not
 * be asked. When the same object is written again, and is there already, it may be the one of before.
 */
export class UnsettledWrites {
  readonly #byKey = new Map<string, ConditionalWrite>();

  /** Only the latest of a key, and of the latest 1,000 keys, is kept. */
  remember(key: string, write: ConditionalWrite): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, write);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAX_KEPT && oldest !== undefined) this.#byKey.delete(oldest);
  }

  settle(key: string): void {
    this.#byKey.delete(key);
  }

  /** Tokens by which the object of `write` may be there. */
  tokensOf(key: string, write: ConditionalWrite): readonly string[] {
    const before = this.#byKey.get(key);
    const isSame = before?.bytes === write.bytes && before.crc === write.crc;
    return before !== undefined && isSame ? [write.token, before.token] : [write.token];
  }
}
