import type { ConformanceOptions } from './conformance-options.ts';
import { CHUNK_CASES } from './manager/chunk-cases.ts';
import { COPY_CASES } from './manager/copy-cases.ts';
import { DAMAGE_CASES } from './manager/damage-cases.ts';
import { SEGMENT_DELETE_CASES } from './manager/delete-cases.ts';
import { FETCH_CASES } from './manager/fetch-cases.ts';
import { MANAGER_LIFE_CASES } from './manager/life-cases.ts';
import type { ManagerSubject, OpenedRemoteStorageManager } from './manager-subject.ts';
import { registerSuite } from './register-suite.ts';
import type { ConformanceRunner } from './runner.ts';

/** A manager to prove. */
export interface RemoteStorageSuiteOptions extends ConformanceOptions {
  /** Opens a manager for one case: without segments, and nobody else's. */
  readonly open: () => Promise<OpenedRemoteStorageManager> | OpenedRemoteStorageManager;
  /**
   * Bytes of the chunks that the manager cuts a log into, or about: ranges are read round the borders
   * between them. Default 4,096.
   */
  readonly chunkBytes?: number | undefined;
}

const GROUPS = [
  COPY_CASES,
  FETCH_CASES,
  CHUNK_CASES,
  SEGMENT_DELETE_CASES,
  DAMAGE_CASES,
  MANAGER_LIFE_CASES,
];

/** Proves that a plugin keeps the contract of `RemoteStorageManager`. */
export function describeRemoteStorageManager(
  runner: ConformanceRunner,
  options: RemoteStorageSuiteOptions,
): void {
  const { open, seed = 1, chunkBytes = 4_096 } = options;
  registerSuite<ManagerSubject>(runner, {
    ...options,
    contract: 'remote storage manager',
    groups: GROUPS,
    open: async () => ({ ...(await open()), seed, chunkBytes }),
    close: async ({ manager, cleanUp }) => {
      await manager[Symbol.asyncDispose]();
      await cleanUp?.();
    },
    capabilitiesOf: ({ manager }) => manager.capabilities,
  });
}
