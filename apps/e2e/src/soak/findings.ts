/** What is found wrong on the way: noted where it is seen, told by the checks at the end. */
export type FindingArea = 'waits' | 'memory' | 'signals';

const MAX_TOLD = 5;

/** Everything that was found wrong, by area. What is wrong once is often wrong a million times. */
export class Findings {
  readonly #counts = new Map<FindingArea, number>();
  readonly #first = new Map<FindingArea, string[]>();

  note(area: FindingArea, text: string): void {
    this.#counts.set(area, (this.#counts.get(area) ?? 0) + 1);
    const first = this.#first.get(area) ?? [];
    if (first.length < MAX_TOLD) this.#first.set(area, [...first, text]);
  }

  /** @throws Error that tells the first findings of an area, if there are any */
  throwIfAny(area: FindingArea): void {
    const count = this.#counts.get(area) ?? 0;
    if (count === 0) return;
    throw new Error(`${count} findings, first of all:\n${this.#first.get(area)?.join('\n')}`);
  }
}
