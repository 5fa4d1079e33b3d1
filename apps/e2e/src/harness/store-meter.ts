import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MeterEntry } from './metering-store.ts';

/** Bytes at a moment, in ms of wall time. */
export interface MeteredBytes {
  readonly t: number;
  readonly bytes: number;
  readonly key: string;
}

/** The most bytes that lie within a span of time. */
export interface FullestWindow {
  readonly bytes: number;
  /** When it begins; `NaN` without bytes. */
  readonly fromMs: number;
}

/** Which entries are meant; default all. */
export interface MeterFilter {
  /** How their keys end. */
  readonly suffix?: string | undefined;
  /** From which moment on. */
  readonly fromMs?: number | undefined;
}

/** Reads what a metering store wrote down. */
export class StoreMeter {
  readonly file: string;
  readonly #root: string;

  constructor(directory: string) {
    this.file = join(directory, 'meter.jsonl');
    this.#root = join(directory, 'remote');
  }

  /** The plugin, for the command's flag. */
  get plugin(): string {
    return join(import.meta.dirname, 'metering-store.js');
  }

  /** Properties that the plugin needs. */
  get properties(): Readonly<Record<string, string>> {
    return { 'rsm.config.storage.root': this.#root, 'rsm.config.storage.meter': this.file };
  }

  /** All entries so far, in the order of time. */
  async entries(): Promise<readonly MeterEntry[]> {
    const text = await readFile(this.file, 'utf8').catch(() => '');
    // The last line may be under way.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as MeterEntry);
  }

  /** What was written of objects whose key ends so, from a moment on. */
  async written({ suffix = '', fromMs = 0 }: MeterFilter = {}): Promise<readonly MeteredBytes[]> {
    return await this.#entriesOf('put', suffix, fromMs);
  }

  /** What a pacer let through to objects whose key ends so, from a moment on. */
  async taken({ suffix = '', fromMs = 0 }: MeterFilter = {}): Promise<readonly MeteredBytes[]> {
    return await this.#entriesOf('take', suffix, fromMs);
  }

  /** What was read of objects whose key ends so, from a moment on. */
  async readBytes({ suffix = '', fromMs = 0 }: MeterFilter = {}): Promise<readonly MeteredBytes[]> {
    return await this.#entriesOf('get', suffix, fromMs);
  }

  /** Whole objects, each at the moment when its writing began: nearest to when it was admitted. */
  async begun({ suffix = '', fromMs = 0 }: MeterFilter = {}): Promise<readonly MeteredBytes[]> {
    return await this.#entriesOf('begin', suffix, fromMs);
  }

  async #entriesOf(
    op: MeterEntry['op'],
    suffix: string,
    fromMs: number,
  ): Promise<readonly MeteredBytes[]> {
    const entries = await this.entries();
    return entries.filter((one) => one.op === op && one.t >= fromMs && one.key.endsWith(suffix));
  }
}

/** Now, on the time line of the meter. */
export function meterNow(): number {
  return performance.timeOrigin + performance.now();
}

/** The fullest of all windows of a length, wherever they begin; both ends count. */
export function fullestWindow(bytes: readonly MeteredBytes[], windowMs: number): FullestWindow {
  let fullest: FullestWindow = { bytes: 0, fromMs: Number.NaN };
  let sum = 0;
  let first = 0;
  for (const one of bytes) {
    sum += one.bytes;
    for (let oldest = bytes[first]; oldest !== undefined; oldest = bytes[first]) {
      if (one.t - oldest.t <= windowMs) break;
      sum -= oldest.bytes;
      first += 1;
    }
    if (sum > fullest.bytes) fullest = { bytes: sum, fromMs: bytes[first]?.t ?? Number.NaN };
  }
  return fullest;
}

/** All of it together. */
export function totalBytes(bytes: readonly MeteredBytes[]): number {
  return bytes.reduce((sum, one) => sum + one.bytes, 0);
}
