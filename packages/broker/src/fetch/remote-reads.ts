import type { ReadLimit } from '@logloft/log';
import type { Partition } from '../topics/partition.ts';

/** What of the remote tier one partition of a fetch wants. */
export interface RemoteRead {
  readonly partition: Partition;
  readonly offset: number;
  /** Most bytes of batches. */
  readonly maxBytes: number;
  /** Whether the first batch is given whole, even if it is larger. */
  readonly minOneBatch: boolean;
  readonly limit: ReadLimit;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What came of it. */
export type RemoteReadResult =
  | { readonly kind: 'batches'; readonly records: Buffer }
  /** Nothing for now and no error: quota exhausted, queue full, or too slow. The client asks again. */
  | { readonly kind: 'nothing-yet' }
  | { readonly kind: 'error'; readonly errorCode: number };

/** The remote tier as fetches see it. */
export interface RemoteReads {
  /** Longest that a fetch waits for it now, in ms (`remote.fetch.max.wait.ms`, KIP-1018; dynamic). */
  readonly maxWaitMs: number;
  /** Whether the read quota has room now. */
  isAllowed(): boolean;
  /** Never rejects. */
  read(request: RemoteRead): Promise<RemoteReadResult>;
}

/** For a broker without a remote tier. */
export const noRemoteReads: RemoteReads = Object.freeze({
  maxWaitMs: 0,
  isAllowed: () => false,
  read: (): Promise<RemoteReadResult> => Promise.resolve({ kind: 'nothing-yet' }),
});
