import type { AbortedTransaction } from '../index/transaction-index.ts';
import type { SegmentList } from '../segment-list.ts';

/** The aborted transactions that concern a read of [`from`, `upper`), by their first offset. */
export function abortedTransactionsIn(
  segments: SegmentList,
  from: number,
  upper: number,
): AbortedTransaction[] {
  const found: AbortedTransaction[] = [];
  for (let index = Math.max(0, segments.floorIndex(from)); index < segments.count; index += 1) {
    const collected = segments.at(index)?.transactionIndex.collect(from, upper);
    if (collected === undefined) break;
    found.push(...collected.transactions);
    if (collected.complete) break;
  }
  return found.sort((a, b) => a.firstOffset - b.firstOffset);
}
