/** Writers, of which each task needs one while it copies; tasks get them in the order in which they ask. */
export class SlotPool {
  readonly #free: string[];
  readonly #waiting: ((slot: string) => void)[] = [];

  constructor(size: number) {
    this.#free = Array.from({ length: size }, (_, index) => String(index));
  }

  acquire(): Promise<string> {
    const slot = this.#free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(slot: string): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}
