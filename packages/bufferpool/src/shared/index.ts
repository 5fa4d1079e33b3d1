// The pool and what it hands out.

export type { AllocateOptions } from '../allocate-options.ts';
export { BufferLease } from '../buffer-lease.ts';
// Errors.
export type { BufferPoolErrorKind } from '../errors.ts';
export { BUFFER_POOL_ERROR_CODES, BufferPoolError, isBufferPoolError } from '../errors.ts';
export { BufferExhaustedError } from '../exhausted-error.ts';
export type { SharedPoolSeat } from './shared-buffer-pool.ts';
export { SharedBufferPool } from './shared-buffer-pool.ts';
// Settings.
export type { SharedBufferPoolContext, SharedBufferPoolOptions } from './shared-options.ts';
export { SHARED_BUFFER_POOL_DEFAULTS } from './shared-options.ts';
// Observation.
export type { SharedBufferPoolStats, SharedHolder } from './shared-stats.ts';
