/** Reports each byte of an object once, however often it is sent. */
export class HighWaterProgress {
  readonly #report: ((bytes: number) => void) | undefined;
  #reported = 0;
  #sent = 0;

  constructor(report: ((bytes: number) => void) | undefined) {
    this.#report = report;
  }

  /** A new attempt begins with the first byte. */
  restart(): void {
    this.#sent = 0;
  }

  /** So many more bytes of this attempt are done. */
  add(bytes: number): void {
    this.#sent += bytes;
    this.reach(this.#sent);
  }

  /** At least so many bytes in all are done. */
  reach(total: number): void {
    const more = total - this.#reported;
    if (more <= 0) return;
    this.#reported = total;
    this.#report?.(more);
  }
}
