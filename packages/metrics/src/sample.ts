/** One part of a window: what was recorded in it, and when. */
export class Sample {
  /** When it began, or when it was last emptied. */
  startMs: number;
  /** When the last event came into it; the start while it is empty. */
  lastEventMs: number;
  eventCount = 0;
  value: number;

  constructor(initialValue: number, timeMs: number) {
    this.startMs = timeMs;
    this.lastEventMs = timeMs;
    this.value = initialValue;
  }

  /** Empties it; it begins anew at `timeMs`. */
  reset(initialValue: number, timeMs: number): void {
    this.startMs = timeMs;
    this.lastEventMs = timeMs;
    this.eventCount = 0;
    this.value = initialValue;
  }
}
