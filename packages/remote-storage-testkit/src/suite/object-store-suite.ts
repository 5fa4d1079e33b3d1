import type { ConformanceOptions } from './conformance-options.ts';
import { registerSuite } from './register-suite.ts';
import type { ConformanceRunner } from './runner.ts';
import { ABORT_CASES } from './store/abort-cases.ts';
import { ATOMICITY_CASES } from './store/atomicity-cases.ts';
import { BOUND_CASES } from './store/bound-cases.ts';
import { DELETE_CASES } from './store/delete-cases.ts';
import { LARGE_OBJECT_CASES } from './store/large-object-cases.ts';
import { LIFE_CASES } from './store/life-cases.ts';
import { LIST_CASES } from './store/list-cases.ts';
import { OBJECT_CASES } from './store/object-cases.ts';
import { PACING_CASES } from './store/pacing-cases.ts';
import { RANGE_CASES } from './store/range-cases.ts';
import { UNFINISHED_CASES } from './store/unfinished-cases.ts';
import type { OpenedObjectStore, StoreSubject } from './store-subject.ts';

/** A store to prove. */
export interface ObjectStoreSuiteOptions extends ConformanceOptions {
  /** Opens a store for one case: empty, and nobody else's. */
  readonly open: () => Promise<OpenedObjectStore> | OpenedObjectStore;
  /**
   * Bytes of the objects that are meant to be written in several parts: one more than a multiple of the
   * store's part size proves most. Default 6 MiB and a byte.
   */
  readonly largeObjectBytes?: number | undefined;
  /** Objects that are listed, and deleted in one call. Default 20, for speed; above 1,000 shows pages and batches. */
  readonly manyObjects?: number | undefined;
}

const LARGE_OBJECT_BYTES = 6 * 1024 * 1024 + 1;

const GROUPS = [
  OBJECT_CASES,
  RANGE_CASES,
  BOUND_CASES,
  LARGE_OBJECT_CASES,
  ATOMICITY_CASES,
  ABORT_CASES,
  DELETE_CASES,
  LIST_CASES,
  UNFINISHED_CASES,
  PACING_CASES,
  LIFE_CASES,
];

/**
 * Proves that a store keeps the contract of `ObjectStore`. What its capabilities say that it cannot
 * do is skipped with a reason, and is then checked to be refused.
 */
export function describeObjectStore(
  runner: ConformanceRunner,
  options: ObjectStoreSuiteOptions,
): void {
  const { open, seed = 1, largeObjectBytes = LARGE_OBJECT_BYTES, manyObjects = 20 } = options;
  registerSuite<StoreSubject>(runner, {
    ...options,
    contract: 'object store',
    groups: GROUPS,
    open: async () => ({ ...(await open()), seed, largeObjectBytes, manyObjects }),
    close: async ({ store, cleanUp }) => {
      await store[Symbol.asyncDispose]();
      await cleanUp?.();
    },
    capabilitiesOf: ({ store }) => store.capabilities,
  });
}
