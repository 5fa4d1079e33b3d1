// The accumulator and what it hands out.

// Errors.
export type { AccumulatorErrorKind } from './accumulator-error.ts';
export {
  ACCUMULATOR_ERROR_CODES,
  AccumulatorError,
  isAccumulatorError,
} from './accumulator-error.ts';
// Settings.
export type {
  BatchMemory,
  RecordAccumulatorContext,
  RecordAccumulatorOptions,
} from './accumulator-options.ts';
export { ACCUMULATOR_DEFAULTS } from './accumulator-options.ts';
export type { AccumulatorStats, ReadyReport } from './accumulator-stats.ts';
// Whoever drains it.
export type { BatchSenderOptions } from './batch-sender.ts';
export { BatchSender } from './batch-sender.ts';
export { RecordAccumulator } from './record-accumulator.ts';
export type { RecordBatch } from './record-batch.ts';
export type { WaitOptions } from './unless-aborted.ts';
