/** Offsets from the first to before the last. */
interface OffsetRange {
  readonly member: string;
  readonly from: number;
  readonly to: number;
  /** The broker may or may not have taken the commit: the answer was lost with the connection. */
  readonly isUncertain: boolean;
}

/**
 * What the members of a group have processed and committed, so that one can tell whether each record
 * counted exactly once: a range counts when its commit was answered without an error.
 */
export class CommittedProgress {
  readonly #ranges = new Map<number, OffsetRange[]>();
  #count = 0;

  /** Records that count so far. */
  get count(): number {
    return this.#count;
  }

  /** Records of one member that count so far. */
  countOf(member: string): number {
    const own = [...this.#ranges.values()].flat().filter((range) => range.member === member);
    return own.reduce((sum, { from, to }) => sum + (to - from), 0);
  }

  /** The first offset that counts in a partition. */
  firstOf(partition: number): number | undefined {
    return this.#sorted(partition)[0]?.from;
  }

  /** Takes note of a commit. */
  add(partition: number, range: OffsetRange): void {
    const ranges = this.#ranges.get(partition) ?? [];
    ranges.push(range);
    this.#ranges.set(partition, ranges);
    if (!range.isUncertain) this.#count += range.to - range.from;
  }

  /**
   * Checks that all offsets of a partition count once.
   *
   * @throws Error naming the first offset that does not count, or counts twice
   */
  assertOnce(
    partition: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    let next = from;
    for (const range of this.#sorted(partition)) {
      if (range.from === next) next = range.to;
      else if (!range.isUncertain) {
        const what = range.from < next ? 'counts twice' : 'does not count';
        throw new Error(
          `partition ${partition}: offset ${Math.min(range.from, next)} ${what}; ${describe(range)} follows what counts up to ${next}`,
        );
      }
    }
    if (next !== to)
      throw new Error(`partition ${partition}: counted up to ${next}, expected ${to}`);
  }

  #sorted(partition: number): readonly OffsetRange[] {
    const ranges = this.#ranges.get(partition) ?? [];
    // A certain one first: an uncertain one beside it was tried again.
    return ranges.toSorted(
      (a, b) => a.from - b.from || Number(a.isUncertain) - Number(b.isUncertain),
    );
  }
}

function describe({ member, from, to, isUncertain }: OffsetRange): string {
  return `${member} ${from} to ${to}${isUncertain ? ' (uncertain)' : ''}`;
}
