/** Bytes that were sent evenly from one moment to another. */
export interface Transfer {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bytes: number;
}

/** Everything that was sent in a run. */
export class TransferLog {
  readonly #transfers: Transfer[] = [];
  #bytes = 0;

  /** All bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(transfer: Transfer): void {
    this.#transfers.push(transfer);
    this.#bytes += transfer.bytes;
  }

  /** The bytes sent in each of `steps` spans of `stepMs`. */
  bytesBySteps(steps: number, stepMs: number): readonly number[] {
    const totals = new Array<number>(steps).fill(0);
    for (const { fromMs, toMs, bytes } of this.#transfers) {
      const perMs = bytes / Math.max(toMs - fromMs, Number.MIN_VALUE);
      const last = Math.min(Math.floor(toMs / stepMs), steps - 1);
      for (let step = Math.floor(fromMs / stepMs); step <= last; step += 1) {
        const inStepMs = Math.min(toMs, (step + 1) * stepMs) - Math.max(fromMs, step * stepMs);
        totals[step] = (totals[step] ?? 0) + Math.max(inStepMs, 0) * perMs;
      }
    }
    return totals;
  }

  /** The most bytes that were sent in any span of `spanMs`. */
  mostIn(spanMs: number): number {
    // The sum of what was sent is a line with bends; a greatest span begins or ends at one of them.
    const sent = this.#sentAtBends();
    let most = 0;
    for (const [bends, sign] of [
      [sent, 1],
      [sent, -1],
    ] as const) {
      const walker = new LineWalker(sent);
      const offset = sign * spanMs;
      for (const [atMs, bytes] of bends) {
        most = Math.max(most, sign * (walker.valueAt(atMs + offset) - bytes));
      }
    }
    return most;
  }

  /** The sum of the bytes sent until each moment at which a transfer begins or ends. */
  #sentAtBends(): readonly (readonly [atMs: number, bytes: number])[] {
    const changes: [atMs: number, bytesPerMs: number][] = [];
    for (const { fromMs, toMs, bytes } of this.#transfers) {
      const perMs = bytes / Math.max(toMs - fromMs, Number.MIN_VALUE);
      changes.push([fromMs, perMs], [toMs, -perMs]);
    }
    changes.sort(([a], [b]) => a - b);
    const bends: [number, number][] = [];
    let [bytes, perMs, atMs] = [0, 0, 0];
    for (const [changeMs, change] of changes) {
      bytes += perMs * (changeMs - atMs);
      atMs = changeMs;
      perMs += change;
      bends.push([atMs, bytes]);
    }
    return bends;
  }
}

/** Reads a line with bends from left to right. */
class LineWalker {
  readonly #bends: readonly (readonly [x: number, y: number])[];
  #next = 0;

  constructor(bends: readonly (readonly [x: number, y: number])[]) {
    this.#bends = bends;
  }

  /** The height at `x`, which must not be less than in the call before. */
  valueAt(x: number): number {
    let right = this.#bends[this.#next];
    while (right !== undefined && right[0] < x) {
      this.#next += 1;
      right = this.#bends[this.#next];
    }
    const left = this.#bends[this.#next - 1];
    if (right === undefined) return left?.[1] ?? 0;
    if (left === undefined) return 0;
    const [x0, y0] = left;
    const [x1, y1] = right;
    return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  }
}
