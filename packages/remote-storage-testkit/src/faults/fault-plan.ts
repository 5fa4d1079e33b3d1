import { randomBelow, seededRandom } from '@logloft/clock';
import type { RemoteStorageErrorKind } from '@logloft/remote-storage';

/** The operations of a store. */
export type StoreOperation = 'put' | 'get' | 'head' | 'delete' | 'list' | 'removeUnfinished';

/** A call that reached a store. */
export interface StoreCall {
  readonly operation: StoreOperation;
  /** Its key, the first of its keys, or the prefix of a listing. */
  readonly key: string;
  /** Number of the call among all of the store, from 1. */
  readonly number: number;
}

/** Something that goes wrong with a call. */
export type Fault =
  /** It begins only after so many ms on the clock. */
  | { readonly type: 'slow'; readonly ms: number }
  /** It fails; with `afterEffect` it was carried out, and only the answer is lost. */
  | {
      readonly type: 'fail';
      readonly kind: RemoteStorageErrorKind;
      readonly retryAfterMs?: number | undefined;
      readonly afterEffect?: boolean | undefined;
    }
  /** It does not answer until its signal aborts; with `deaf` not even then. */
  | { readonly type: 'hang'; readonly deaf?: boolean | undefined }
  /** The transfer of `put` or `get` breaks off with `unavailable` after so many bytes. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** Sizes told, and bytes given by `get`, are so many fewer than there are. */
  | { readonly type: 'lie'; readonly missingBytes: number };

/** Decides what goes wrong with each call, in the order of the calls. */
export interface FaultPlan {
  next(call: StoreCall): Fault | undefined;
}

/** For each operation the faults of its first, second, ... call; `undefined` lets one pass. */
export type FaultScript = Partial<Record<StoreOperation, readonly (Fault | undefined)[]>>;

/** A plan that is written down call by call. What is beyond it passes. */
export function scriptedFaults(script: FaultScript): FaultPlan {
  const seen = new Map<StoreOperation, number>();
  return {
    next({ operation }): Fault | undefined {
      const index = seen.get(operation) ?? 0;
      seen.set(operation, index + 1);
      return script[operation]?.[index];
    },
  };
}

/** What a seeded plan may do. */
export interface SeededFaultsOptions {
  /** Calls of a hundred that something goes wrong with. Default 20. */
  readonly percent?: number | undefined;
  /** What may go wrong, each as likely as the others. Default: what a caller can survive by trying again. */
  readonly faults?: readonly Fault[] | undefined;
}

/** Failures that pass: slow, throttled, unavailable before and after the effect, cut after some bytes. */
export const PASSING_FAULTS: readonly Fault[] = Object.freeze<Fault[]>([
  { type: 'slow', ms: 200 },
  { type: 'fail', kind: 'unavailable' },
  { type: 'fail', kind: 'unavailable', afterEffect: true },
  { type: 'fail', kind: 'throttled', retryAfterMs: 100 },
  { type: 'cut', afterBytes: 10_000 },
]);

/** A plan that depends on the seed, and on how many calls were made before. */
export function seededFaults(seed: number, options: SeededFaultsOptions = {}): FaultPlan {
  const { percent = 20, faults = PASSING_FAULTS } = options;
  const random = seededRandom(seed);
  return {
    next(): Fault | undefined {
      const hit = randomBelow(random, 100) < percent;
      return hit && faults.length > 0 ? faults[randomBelow(random, faults.length)] : undefined;
    },
  };
}
