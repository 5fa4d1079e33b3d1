import { registerGroups } from './conformance-case.ts';
import type { ConformanceRunner } from './runner.ts';
import { ABORT_CASES } from './store/abort-cases.ts';
import { ATOMICITY_CASES } from './store/atomicity-cases.ts';
import { DELETE_CASES } from './store/delete-cases.ts';
import { LIFE_CASES } from './store/life-cases.ts';
import { LIST_CASES } from './store/list-cases.ts';
import { OBJECT_CASES } from './store/object-cases.ts';
import { PACING_CASES } from './store/pacing-cases.ts';
import { RANGE_CASES } from './store/range-cases.ts';
import type { OpenedObjectStore, StoreSubject } from './store-subject.ts';

/** A store to prove. */
export interface ObjectStoreSuiteOptions {
  /** How the suite is called, for example the store's name. */
  readonly name: string;
  /** Opens a store for one case: empty, and nobody else's. */
  readonly open: () => Promise<OpenedObjectStore> | OpenedObjectStore;
  /** Seed of all bytes and choices. Default 1. */
  readonly seed?: number | undefined;
  /** Ms of real time after which a case counts as hanging. Default 30,000. */
  readonly caseTimeoutMs?: number | undefined;
}

const GROUPS = [
  OBJECT_CASES,
  RANGE_CASES,
  ATOMICITY_CASES,
  ABORT_CASES,
  DELETE_CASES,
  LIST_CASES,
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
  const { name, open, seed = 1, caseTimeoutMs = 30_000 } = options;
  runner.describe(`${name} keeps the contract of an object store`, () => {
    registerGroups<StoreSubject>(runner, GROUPS, {
      caseTimeoutMs,
      open: async () => ({ ...(await open()), seed }),
      close: async ({ store, cleanUp }) => {
        await store[Symbol.asyncDispose]();
        await cleanUp?.();
      },
    });
  });
}
