// The pool and what it hands out.

export type { AllocateOptions, HolderOptions } from './allocate-options.ts';
export { DEFAULT_MAX_BLOCK_MS } from './allocate-options.ts';
export { BufferLease } from './buffer-lease.ts';
export { BufferPool } from './buffer-pool.ts';
// Errors.
export type { BufferPoolErrorKind } from './errors.ts';
export { BUFFER_POOL_ERROR_CODES, BufferPoolError, isBufferPoolError } from './errors.ts';
export type { ExhaustedFacts } from './exhausted-error.ts';
export { BufferExhaustedError } from './exhausted-error.ts';
export type { BufferHolder, UnreleasedReport } from './holder-ledger.ts';
// Settings.
export type { BufferPoolContext, BufferPoolOptions, BufferPoolSemantics } from './options.ts';
export { BUFFER_POOL_DEFAULTS } from './options.ts';
// Observation.
export type { BufferPoolMetric } from './pool-metrics.ts';
export { BUFFER_POOL_METRICS, DEFAULT_METRICS_GROUP } from './pool-metrics.ts';
export type { BufferPoolStats, StatsOptions } from './pool-stats.ts';
export { DEFAULT_SERVED_SHARE } from './pool-stats.ts';
export type { SizeBucket } from './size-histogram.ts';
