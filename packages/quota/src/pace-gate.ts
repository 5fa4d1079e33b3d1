import type { Clock } from '@logloft/clock';
import type { Gate } from './admission-node.ts';
import { ByteLimit } from './byte-limit.ts';

/** Is open when the time since has paid for what passed, at the bound. */
export class PaceGate implements Gate {
  readonly #clock: Clock;
  readonly #catchUpMs: number;
  #bound: number;
  // Bytes that passed and are not yet covered by the time since; below 0 when behind schedule.
  #debtBytes = 0;
  #paidAtMs = 0;

  /** @param catchUpMs how far behind its schedule the flow may be and still catch up */
  constructor(clock: Clock, bound: number, catchUpMs: number) {
    this.#clock = clock;
    this.#catchUpMs = catchUpMs;
    this.#bound = bound;
    this.#paidAtMs = clock.monotonic();
  }

  /** Bytes per second. */
  get bound(): number {
    return this.#bound;
  }

  setBound(bound: number): void {
    // What has passed is paid for at the old rate until now, and what is saved up is cut to the new.
    this.#payDebt();
    this.#bound = bound;
    this.#payDebt();
  }

  /** Begins as if nothing had flowed for as long as may be saved up. */
  fill(): void {
    this.#debtBytes = -this.#mostCredit();
  }

  isOpen(): boolean {
    this.#payDebt();
    return this.#debtBytes <= 0 || this.#bound === ByteLimit.unlimited.bytesPerSecond;
  }

  charge(bytes: number): void {
    this.#debtBytes += bytes;
  }

  msUntilOpen(): number {
    // At 0 bytes per second nothing but a new limit can end the waiting.
    if (this.#bound === 0) return Number.POSITIVE_INFINITY;
    return Math.ceil((this.#debtBytes / this.#bound) * 1000);
  }

  #payDebt(): void {
    const nowMs = this.#clock.monotonic();
    const paid = this.#debtBytes - (this.#bound * (nowMs - this.#paidAtMs)) / 1000;
    this.#debtBytes = Math.max(paid, -this.#mostCredit());
    this.#paidAtMs = nowMs;
  }

  #mostCredit(): number {
    return (this.#bound * this.#catchUpMs) / 1000;
  }
}
