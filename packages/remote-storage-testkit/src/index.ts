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
export { boundSource } from './fixtures/bound-source.ts';
export type { GatedSource } from './fixtures/gated-source.ts';
export { failingSource, gatedSource, lyingSource } from './fixtures/gated-source.ts';
export { seededBytes } from './fixtures/seeded-bytes.ts';
export type {
  SeededSegment,
  SeededSegmentOptions,
  SegmentParts,
} from './fixtures/seeded-segment.ts';
export { seededSegment } from './fixtures/seeded-segment.ts';
export { damageStoredSegment, type SegmentDamage } from './fixtures/segment-damage.ts';
export type { LoggedLine, TestContext } from './fixtures/test-context.ts';
export { contextWith, testContext } from './fixtures/test-context.ts';
export type { FaultProxy, FaultProxyOptions } from './proxy/fault-proxy.ts';
export { startFaultProxy } from './proxy/fault-proxy.ts';
export type {
  ProxyExchange,
  ProxyFault,
  ProxyOutcome,
  ProxyRequest,
} from './proxy/proxy-fault.ts';
export type {
  ProxyFaultPlan,
  ProxyRule,
  SeededProxyFaultsOptions,
} from './proxy/proxy-plan.ts';
export {
  PASSING_PROXY_FAULTS,
  ruledProxyFaults,
  seededProxyFaults,
} from './proxy/proxy-plan.ts';
export type { ProxyTarget } from './proxy/proxy-target.ts';
export type {
  TcpConnection,
  TcpFault,
  TcpFaultProxy,
  TcpFaultProxyOptions,
} from './proxy/tcp-fault-proxy.ts';
export { startTcpFaultProxy } from './proxy/tcp-fault-proxy.ts';
export type {
  CaseOutcome,
  CaseReport,
  ConformanceReport,
} from './report/conformance-report.ts';
export { countOutcomes } from './report/conformance-report.ts';
export type { FormatReportOptions } from './report/format-report.ts';
export { formatReport, reportJson, summaryOf } from './report/format-report.ts';
export type { ConformanceOptions } from './suite/conformance-options.ts';
export type { OpenedRemoteStorageManager } from './suite/manager-subject.ts';
export type { ObjectStoreSuiteOptions } from './suite/object-store-suite.ts';
export { describeObjectStore } from './suite/object-store-suite.ts';
export type { RemoteStorageSuiteOptions } from './suite/remote-storage-suite.ts';
export { describeRemoteStorageManager } from './suite/remote-storage-suite.ts';
export type { ConformanceRunner, ConformanceTestContext } from './suite/runner.ts';
export type { OpenedObjectStore } from './suite/store-subject.ts';
