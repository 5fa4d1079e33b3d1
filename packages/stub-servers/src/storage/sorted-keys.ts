/**
 * Orders strings by the bytes of their UTF-8, which is how both stores list keys. JavaScript's own
 * order is that of UTF-16 units, and puts U+FF00 behind U+1F600.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    // A surrogate stands for a code point above all others that one unit can hold.
    const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** Values by key, with the keys in the order of their UTF-8 bytes. */
export class SortedKeys<Value> {
  readonly #values = new Map<string, Value>();
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    if (!this.#values.has(key)) this.#keys.splice(this.firstIndexFrom(key), 0, key);
    this.#values.set(key, value);
  }

  /** Whether the key was there. */
  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    this.#keys.splice(this.firstIndexFrom(key), 1);
    return true;
  }

  /** The key at a position, or `undefined` behind the last. */
  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  /** Position of the first key that is not before `key`. */
  firstIndexFrom(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.#keys[middle];
      if (candidate !== undefined && compareUtf8(candidate, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All values, in the order of their keys; a copy. */
  values(): readonly Value[] {
    return this.#keys.flatMap((key) => {
      const value = this.#values.get(key);
      return value === undefined ? [] : [value];
    });
  }

  clear(): void {
    this.#values.clear();
    this.#keys.length = 0;
  }
}
