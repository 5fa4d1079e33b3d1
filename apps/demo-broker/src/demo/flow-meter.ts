import type { Clock } from '@logloft/clock';

/** Counts bytes with the moment at which they passed. */
export class FlowMeter {
  readonly #clock: Clock;
  readonly #times: number[] = [];
  readonly #bytes: number[] = [];
  #total = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(bytes: number): void {
    this.#times.push(this.#clock.monotonic());
    this.#bytes.push(bytes);
    this.#total += bytes;
  }

  get total(): number {
    return this.#total;
  }

  /** When the first byte passed, on the monotonic clock; `undefined` before. */
  get firstMs(): number | undefined {
    return this.#times[0];
  }

  /** Bytes that passed from one moment until before another. */
  between(fromMs: number, toMs: number): number {
    return this.#bytes.reduce((sum, bytes, index) => {
      const at = this.#times[index] ?? 0;
      return at >= fromMs && at < toMs ? sum + bytes : sum;
    }, 0);
  }

  /** Most bytes that passed in any span of that many ms, between two moments. */
  busiest(spanMs: number, fromMs: number, toMs: number): number {
    let most = 0;
    let sum = 0;
    let tail = 0;
    for (const [head, at] of this.#times.entries()) {
      if (at < fromMs) {
        tail = head + 1;
        continue;
      }
      if (at >= toMs) break;
      sum += this.#bytes[head] ?? 0;
      while ((this.#times[tail] ?? at) <= at - spanMs) {
        sum -= this.#bytes[tail] ?? 0;
        tail += 1;
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
