/** Bytes that this process appended to all logs, and how many of them count as recent. */
export interface AppendMeter {
  bytes: number;
  readonly hotBytes: number;
}

const MARKS_PER_WINDOW = 16;

/**
 * From which position on a segment is hot: appended by this process so recently that it is in the
 * page cache, which nothing in Node can ask for. Marks are set on the way, at most 16 to a window.
 */
export class HeatMarks {
  readonly #positions: number[] = [];
  readonly #meters: number[] = [];

  /** Bytes are about to be appended at `position`. */
  note(position: number, meter: AppendMeter): void {
    const last = this.#meters.at(-1);
    if (last !== undefined && meter.bytes - last < meter.hotBytes / MARKS_PER_WINDOW) return;
    this.#positions.push(position);
    this.#meters.push(meter.bytes);
  }

  /** The least hot position; `Infinity` when nothing is hot. */
  hotFrom(meter: AppendMeter): number {
    while ((this.#meters[0] ?? meter.bytes) < meter.bytes - meter.hotBytes) {
      this.#meters.shift();
      this.#positions.shift();
    }
    return this.#positions[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Everything from `position` on was cut. */
  truncate(position: number): void {
    while ((this.#positions.at(-1) ?? -1) >= position) {
      this.#positions.pop();
      this.#meters.pop();
    }
  }
}
