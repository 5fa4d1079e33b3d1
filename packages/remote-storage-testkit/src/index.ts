export type {
  Fault,
  FaultPlan,
  FaultScript,
  SeededFaultsOptions,
  StoreCall,
  StoreOperation,
} from './faults/fault-plan.ts';
export { PASSING_FAULTS, scriptedFaults, seededFaults } from './faults/fault-plan.ts';
export { FaultyObjectStore } from './faults/faulty-object-store.ts';
export type { GatedSource } from './fixtures/gated-source.ts';
export { failingSource, gatedSource, lyingSource } from './fixtures/gated-source.ts';
export { seededBytes } from './fixtures/seeded-bytes.ts';
export type {
  SeededSegment,
  SeededSegmentOptions,
  SegmentParts,
} from './fixtures/seeded-segment.ts';
export { seededSegment } from './fixtures/seeded-segment.ts';
export type { LoggedLine, TestContext } from './fixtures/test-context.ts';
export { contextWith, testContext } from './fixtures/test-context.ts';
export type { OpenedRemoteStorageManager } from './suite/manager-subject.ts';
export type { ObjectStoreSuiteOptions } from './suite/object-store-suite.ts';
export { describeObjectStore } from './suite/object-store-suite.ts';
export type { RemoteStorageSuiteOptions } from './suite/remote-storage-suite.ts';
export { describeRemoteStorageManager } from './suite/remote-storage-suite.ts';
export type { ConformanceRunner, ConformanceTestContext } from './suite/runner.ts';
export type { OpenedObjectStore } from './suite/store-subject.ts';
