import { registerGroups } from './conformance-case.ts';
import { COPY_CASES } from './manager/copy-cases.ts';
import { SEGMENT_DELETE_CASES } from './manager/delete-cases.ts';
import { FETCH_CASES } from './manager/fetch-cases.ts';
import { MANAGER_LIFE_CASES } from './manager/life-cases.ts';
import type { ManagerSubject, OpenedRemoteStorageManager } from './manager-subject.ts';
import type { ConformanceRunner } from './runner.ts';

/** A manager to prove. */
export interface RemoteStorageSuiteOptions {
  /** How the suite is called, for example the plugin's name. */
  readonly name: string;
  /** Opens a manager for one case: without segments, and nobody else's. */
  readonly open: () => Promise<OpenedRemoteStorageManager> | OpenedRemoteStorageManager;
  /** Seed of all bytes and choices. Default 1. */
  readonly seed?: number | undefined;
  /** Ms of real time after which a case counts as hanging. Default 30,000. */
  readonly caseTimeoutMs?: number | undefined;
}

const GROUPS = [COPY_CASES, FETCH_CASES, SEGMENT_DELETE_CASES, MANAGER_LIFE_CASES];

/** Proves that a plugin keeps the contract of `RemoteStorageManager`. */
export function describeRemoteStorageManager(
  runner: ConformanceRunner,
  options: RemoteStorageSuiteOptions,
): void {
  const { name, open, seed = 1, caseTimeoutMs = 30_000 } = options;
  runner.describe(`${name} keeps the contract of a remote storage manager`, () => {
    registerGroups<ManagerSubject>(runner, GROUPS, {
      caseTimeoutMs,
      open: async () => ({ ...(await open()), seed }),
      close: async ({ manager, cleanUp }) => {
        await manager[Symbol.asyncDispose]();
        await cleanUp?.();
      },
    });
  });
}
