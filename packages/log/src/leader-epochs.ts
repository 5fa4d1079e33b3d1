import { parseCheckpoint, parseCheckpointNumber, printCheckpoint } from './checkpoint-file.ts';
import { LogCorruptError } from './errors.ts';

/** The file of a partition's leader epochs. */
export const LEADER_EPOCH_FILE = 'leader-epoch-checkpoint';

/** An epoch and the offset of its first record. */
export interface LeaderEpoch {
  readonly epoch: number;
  readonly startOffset: number;
}

/** Where an epoch ends; -1 and -1 where it is unknown. */
export interface EpochEnd {
  readonly epoch: number;
  readonly endOffset: number;
}

/** A partition's history of leaders: epochs and their first offsets, both ascending. */
export class LeaderEpochs {
  #entries: LeaderEpoch[];
  #version = 0;

  constructor(entries: readonly LeaderEpoch[] = []) {
    this.#entries = [...entries];
  }

  /** @throws LogCorruptError when the text is no leader epoch checkpoint */
  static parse(text: string): LeaderEpochs {
    const entries = parseCheckpoint(text, 2).map(([epoch, startOffset]) => ({
      epoch: parseCheckpointNumber(epoch),
      startOffset: parseCheckpointNumber(startOffset),
    }));
    for (const [index, entry] of entries.entries()) {
      const next = entries[index + 1];
      if (next === undefined) continue;
      if (next.epoch <= entry.epoch || next.startOffset < entry.startOffset) {
        throw new LogCorruptError(
          `Leader epochs must ascend: ${entry.epoch} ${entry.startOffset} stands before ${next.epoch} ${next.startOffset}`,
        );
      }
    }
    return new LeaderEpochs(entries);
  }

  /** Kafka's text of the epochs that begin below `endOffset`; all without it. */
  print(endOffset: number = Number.POSITIVE_INFINITY): string {
    const entries = this.#entries.filter((entry) => entry.startOffset < endOffset);
    return printCheckpoint(entries.map(({ epoch, startOffset }) => `${epoch} ${startOffset}`));
  }

  get entries(): readonly LeaderEpoch[] {
    return this.#entries;
  }

  /** Grows with every change: what was written at the same version needs no writing. */
  get version(): number {
    return this.#version;
  }

  get latest(): LeaderEpoch | undefined {
    return this.#entries.at(-1);
  }

  /** Notes that `epoch` begins at `startOffset`; what contradicts it at the end goes. */
  assign(epoch: number, startOffset: number): void {
    const latest = this.latest;
    if (latest !== undefined && latest.epoch === epoch && latest.startOffset <= startOffset) return;
    let keep = this.#entries.length;
    while (keep > 0 && isAtOrAfter(this.#entries[keep - 1], epoch, startOffset)) keep -= 1;
    this.#entries.length = keep;
    this.#entries.push({ epoch, startOffset });
    this.#version += 1;
  }

  /** Drops the epochs that begin at `offset` or beyond. */
  truncateFromEnd(offset: number): void {
    const kept = this.#entries.filter((entry) => entry.startOffset < offset);
    if (kept.length === this.#entries.length) return;
    this.#entries = kept;
    this.#version += 1;
  }

  /** Drops what lies before `offset`; the epoch that holds it begins there from now on. */
  truncateFromStart(offset: number): void {
    const floor = this.#floorIndex(offset);
    const entry = this.#entries[floor];
    if (entry === undefined || (floor === 0 && entry.startOffset === offset)) return;
    this.#entries = [
      { epoch: entry.epoch, startOffset: offset },
      ...this.#entries.slice(floor + 1),
    ];
    this.#version += 1;
  }

  /** Replaces everything. */
  reset(entries: readonly LeaderEpoch[]): void {
    this.#entries = [...entries];
    this.#version += 1;
  }

  /** The epoch under which `offset` was appended. */
  epochFor(offset: number): number | undefined {
    return this.#entries[this.#floorIndex(offset)]?.epoch;
  }

  /** Where `epoch` ends, and the greatest known epoch not above it, as OffsetForLeaderEpoch wants. */
  endOffsetFor(epoch: number, logEndOffset: number): EpochEnd {
    const latest = this.latest;
    if (latest === undefined || epoch < 0 || epoch > latest.epoch) {
      return { epoch: -1, endOffset: -1 };
    }
    if (epoch === latest.epoch) return { epoch, endOffset: logEndOffset };
    const higher = this.#entries.findIndex((entry) => entry.epoch > epoch);
    const endOffset = this.#entries[higher]?.startOffset ?? logEndOffset;
    return { epoch: this.#entries[higher - 1]?.epoch ?? epoch, endOffset };
  }

  /** The epochs within [`from`, `to`), the first one based to `from`. */
  entriesInRange(from: number, to: number): LeaderEpoch[] {
    const copy = new LeaderEpochs(this.#entries);
    if (from >= 0) copy.truncateFromStart(from);
    copy.truncateFromEnd(to);
    return [...copy.entries];
  }

  /** Index of the last entry that begins at or before `offset`; -1 without one. */
  #floorIndex(offset: number): number {
    let index = this.#entries.length - 1;
    while (index >= 0 && (this.#entries[index]?.startOffset ?? 0) > offset) index -= 1;
    return index;
  }
}

function isAtOrAfter(entry: LeaderEpoch | undefined, epoch: number, startOffset: number): boolean {
  return entry !== undefined && (entry.epoch >= epoch || entry.startOffset >= startOffset);
}
