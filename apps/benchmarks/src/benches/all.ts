import type { Bench } from '../harness/bench.ts';
import { b1 } from './b1-crc32c.ts';
import { b2 } from './b2-frames.ts';
import { b6 } from './b6-produce.ts';
import { b7 } from './b7-fetch.ts';

/** All benches, in order. */
export const BENCHES: readonly Bench[] = [b1, b2, b6, b7];
