// The pool and what it hands out.

export { BufferLease } from './buffer-lease.ts';
export type { AllocateOptions } from './buffer-pool.ts';
export { BufferPool, DEFAULT_MAX_BLOCK_MS } from './buffer-pool.ts';
// Errors.
export type { BufferPoolErrorKind } from './errors.ts';
export { BUFFER_POOL_ERROR_CODES, BufferPoolError, isBufferPoolError } from './errors.ts';
export type { ExhaustedFacts } from './exhausted-error.ts';
export { BufferExhaustedError } from './exhausted-error.ts';
// Settings.
export type { BufferPoolContext, BufferPoolOptions, BufferPoolSemantics } from './options.ts';
export { BUFFER_POOL_DEFAULTS } from './options.ts';
// Observation.
export type { BufferPoolMetric } from './pool-metrics.ts';
export { BUFFER_POOL_METRICS, DEFAULT_METRICS_GROUP } from './pool-metrics.ts';
export type { BufferPoolStats } from './pool-stats.ts';
