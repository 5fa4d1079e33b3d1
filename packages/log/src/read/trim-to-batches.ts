import { createBatchHeader, lastOffsetOf, readBatchHeader } from '@logloft/records';
import type { WantedBatches } from './log-slice.ts';

/** What was cut out. */
export interface TrimmedBatches {
  /** Bytes of whole batches, now at the start of the buffer. */
  readonly bytes: number;
  /** Where they ended before they were moved. */
  readonly end: number;
  /** Offset after the last batch, or the one asked for when there is none. */
  readonly nextOffset: number;
}

const header = createBatchHeader();

/**
 * Cuts the wanted batches out of the first `length` bytes of `target`, which begin with a batch,
 * and moves them to its start.
 */
export function trimToBatches(
  target: Buffer,
  length: number,
  wanted: WantedBatches,
): TrimmedBatches {
  const start = skipTo(target, length, wanted.fromOffset);
  let end = start;
  let nextOffset = wanted.fromOffset;
  while (readWhole(target, end, length)) {
    const isFirst = end === start;
    const fits = end + header.sizeInBytes - start <= wanted.maxBytes;
    if (lastOffsetOf(header) >= wanted.limitOffset) break;
    if (!fits && !(isFirst && wanted.minOneBatch)) break;
    end += header.sizeInBytes;
    nextOffset = lastOffsetOf(header) + 1;
  }
  if (start > 0 && end > start) target.copyWithin(0, start, end);
  return { bytes: end - start, end, nextOffset };
}

/** Position of the first batch that reaches `offset`. */
function skipTo(target: Buffer, length: number, offset: number): number {
  let at = 0;
  while (readWhole(target, at, length) && lastOffsetOf(header) < offset) at += header.sizeInBytes;
  return at;
}

function readWhole(target: Buffer, at: number, length: number): boolean {
  return (
    readBatchHeader(target, at, header) &&
    header.magic === 2 &&
    header.sizeInBytes > 0 &&
    at + header.sizeInBytes <= length
  );
}
