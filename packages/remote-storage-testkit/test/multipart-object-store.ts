import {
  memorySource,
  type PutOptions,
  type RemoveUnfinishedOptions,
  type SegmentSource,
} from '@logloft/remote-storage';
import { ReferenceObjectStore } from './reference-object-store.ts';

// Time stands still: what was begun is as old as it is told to be.
const NOW_MS = 1_700_000_000_000;

/** A store that keeps what was begun and not finished until it is removed. */
export class MultipartObjectStore extends ReferenceObjectStore {
  readonly unfinished: Map<string, number> = new Map();

  async serverTime(): Promise<number> {
    return NOW_MS;
  }

  async removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    this.check(options);
    const { prefix = '', olderThanMs } = options;
    let removed = 0;
    for (const [key, begunAtMs] of this.unfinished) {
      if (!key.startsWith(prefix) || begunAtMs > NOW_MS - olderThanMs) continue;
      this.unfinished.delete(key);
      removed += 1;
    }
    return removed;
  }

  leaveUnfinished(key: string): void {
    this.unfinished.set(key, NOW_MS);
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.check(options, key);
    this.leaveUnfinished(key);
    try {
      await super.put(key, source, options);
    } finally {
      this.unfinished.delete(key);
    }
  }
}

/** Forgets the clean-up when a put fails. */
export class LeavesUnfinished extends MultipartObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    try {
      await super.put(key, source, options);
    } catch (error) {
      this.leaveUnfinished(key);
      throw error;
    }
  }
}

/** Removes what another writer is at this moment writing. */
export class RemovesTheYoung extends MultipartObjectStore {
  override async removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    return await super.removeUnfinished({ ...options, olderThanMs: 0 });
  }
}

/** Removes everybody's. */
export class IgnoresThePrefix extends MultipartObjectStore {
  override async removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    return await super.removeUnfinished({ ...options, prefix: undefined });
  }
}

/** Tells its time in seconds. */
export class TellsSeconds extends MultipartObjectStore {
  override async serverTime(): Promise<number> {
    return (await super.serverTime()) / 1_000;
  }
}

/** Fills an object up to the most bytes there could have been. */
export class FillsUpToTheBound extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const bytes = await this.readAll(source, options);
    const filled = new Uint8Array(source.size);
    filled.set(bytes);
    await super.put(key, memorySource(filled), { ifAbsent: options.ifAbsent });
  }
}

/** Takes a bound for a promise. */
export class WantsTheBound extends ReferenceObjectStore {
  protected override async readAll(
    source: SegmentSource,
    options: PutOptions,
  ): Promise<Uint8Array> {
    const { size, read } = source;
    return await super.readAll({ size, read }, options);
  }
}

const PART_BYTES = 2 * 1024 * 1024;

/** Loses a last part that is smaller than the others. */
export class LosesTheLastPart extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const bytes = await this.readAll(source, options);
    const whole = bytes.byteLength - (bytes.byteLength % PART_BYTES);
    const kept = whole === 0 ? bytes : bytes.subarray(0, whole);
    await super.put(key, memorySource(kept), { ifAbsent: options.ifAbsent });
  }
}

/** Puts its parts together in the order in which their sending ended. */
export class MixesParts extends ReferenceObjectStore {
  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const bytes = await this.readAll(source, options);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
      parts.unshift(bytes.subarray(at, at + PART_BYTES));
    }
    const mixed = Uint8Array.from(Buffer.concat(parts));
    await super.put(key, memorySource(mixed), { ifAbsent: options.ifAbsent });
  }
}
