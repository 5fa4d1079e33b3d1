import { ManualClock } from '@logloft/clock';
import {
  RecordAccumulator,
  type RecordAccumulatorOptions,
  type RecordBatch,
} from '../../src/accumulator/index.ts';
import { BufferPool } from '../../src/index.ts';

/** A record of the tests: a name, and its size in bytes. */
export interface TestRecord {
  readonly name: string;
  readonly bytes: number;
}

/** An accumulator with batches of 100 bytes over a pool of 300, and the clock of both. */
export function makeAccumulator(
  options: Partial<RecordAccumulatorOptions<TestRecord>> = {},
  totalBytes = 300,
) {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes, poolableBytes: 100 }, { clock });
  const accumulator = new RecordAccumulator<TestRecord>(
    { estimatedBytes: ({ bytes }) => bytes, ...options },
    { pool, clock },
  );
  return { clock, pool, accumulator };
}

/** A record of 40 bytes, unless told otherwise. */
export function record(name: string, bytes = 40): TestRecord {
  return { name, bytes };
}

/** The names of the records of each batch, as `a+b`. */
export function namesOf(batches: readonly RecordBatch<TestRecord, string>[]): string[] {
  return batches.map(({ records }) => records.map(({ name }) => name).join('+'));
}
