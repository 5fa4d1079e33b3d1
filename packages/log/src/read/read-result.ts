import type { LogSlice } from './log-slice.ts';

/** Up to where a reader may see. */
export type ReadLimit = 'high-watermark' | 'last-stable' | 'log-end';

/** Options of a read. */
export interface ReadOptions {
  /** Most bytes of batches, from 0 on. */
  readonly maxBytes: number;
  /** Whether the first batch is given whole, even if it is larger than `maxBytes`. */
  readonly minOneBatch: boolean;
  readonly limit: ReadLimit;
}

/** What a read found. */
export type ReadResult =
  | {
      /** Whole batches of one segment; empty when nothing is there yet, or nothing fits. */
      readonly kind: 'slice';
      readonly slice: LogSlice;
    }
  | {
      /** The offset lies before the start of the log or behind its end. */
      readonly kind: 'out-of-range';
      readonly logStartOffset: number;
      readonly logEndOffset: number;
    }
  | {
      /** The offset is in the log, but no longer in a local segment. */
      readonly kind: 'below-local';
      readonly localLogStartOffset: number;
    };
