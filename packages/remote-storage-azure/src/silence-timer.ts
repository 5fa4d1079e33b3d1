import type { Clock, Timer } from '@logloft/clock';

/** Tells when nothing has moved for a while. Touching it costs nothing, so that it may be touched often. */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #onSilent: (limitMs: number) => void;
  #timer: Timer | undefined;
  #limitMs = 0;
  #lastMs = 0;

  /** @param onSilent is told once, of the limit that was passed */
  constructor(clock: Clock, onSilent: (limitMs: number) => void) {
    this.#clock = clock;
    this.#onSilent = onSilent;
  }

  /** Watches from now on, instead of what was watched before. */
  arm(limitMs: number): void {
    this.disarm();
    this.#limitMs = limitMs;
    this.touch();
    this.#wait(limitMs);
  }

  /** Says that something moved. */
  touch(): void {
    this.#lastMs = this.#clock.monotonic();
  }

  /** Stops watching. */
  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(ms: number): void {
    this.#timer = this.#clock.setTimer(ms, () => {
      const leftMs = this.#limitMs - (this.#clock.monotonic() - this.#lastMs);
      if (leftMs > 0) this.#wait(leftMs);
      else this.#onSilent(this.#limitMs);
    });
  }
}
