import type { Bench } from '../harness/bench.ts';
import { b1 } from './b1-crc32c.ts';
import { b2 } from './b2-frames.ts';
import { b3 } from './b3-codecs.ts';
import { b4 } from './b4-append.ts';
import { b5 } from './b5-read.ts';
import { b6 } from './b6-produce.ts';
import { b7 } from './b7-fetch.ts';
import { b9 } from './b9-latency.ts';
import { b12 } from './b12-start.ts';
import { m1 } from './metrics-record.ts';
import { p1 } from './pool-speed.ts';
import { p2 } from './pool-waiters.ts';
import { q1 } from './quota-record.ts';
import { r1 } from './remote-stores.ts';

/** All benches, in order. */
export const BENCHES: readonly Bench[] = [b1, b2, b3, b4, b5, b6, b7, b9, b12, p1, p2, m1, q1, r1];
