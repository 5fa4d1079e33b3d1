import {
  BATCH_HEADER_BYTES,
  createBatchHeader,
  lastOffsetOf,
  readBatchHeader,
} from '@logloft/records';
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
 *
 * @param wholeBytes so many of the bytes are known to be whole batches, all of them wanted
 */
export function trimToBatches(
  target: Buffer,
  length: number,
  wanted: WantedBatches,
  wholeBytes = 0,
): TrimmedBatches {
  const isKnown = wholeBytes > 0;
  // Fewer bytes than expected, or others: what is whole is looked for from the first batch on.
  if (isKnown && !readHeader(target, wholeBytes, length)) {
    return trimToBatches(target, length, wanted);
  }
  const start = isKnown ? 0 : skipTo(target, length, wanted.fromOffset);
  let end = start + wholeBytes;
  let nextOffset = isKnown ? header.baseOffset : wanted.fromOffset;
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
  return readHeader(target, at, length) && at + header.sizeInBytes <= length;
}

/** Reads the header at `at` if one lies within the first `length` bytes, which may be followed by others. */
function readHeader(target: Buffer, at: number, length: number): boolean {
  return (
    at + BATCH_HEADER_BYTES <= length &&
    readBatchHeader(target, at, header) &&
    header.magic === 2 &&
    header.sizeInBytes > 0
  );
}
