import { BufferPool, type BufferPoolOptions } from '@logloft/bufferpool';
import { systemClock } from '@logloft/clock';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, size as sizeText, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { type Contender, interleave } from '../harness/rounds.ts';
import { steadyNanosecondsPerCall } from '../harness/steady-nanos.ts';

const KIB = 1024;
const CLASSES = [16 * KIB, 64 * KIB, 256 * KIB] as const;
const TOTAL_BYTES = 32 * 1024 * KIB;
/** Kafka's own pool in Java, on a machine on which its bare array deque takes 13. */
const AIM_NANOS = 27;
/** So many in a call, so that the call itself does not count. */
const CYCLES = 1000;

/** Taking and returning a buffer without waiting. */
export const p1: Bench = {
  id: 'P1',
  title: 'P1 buffer pool: tryAllocate and deallocate, against pop and push of a bare array',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    const targetMs = smoke ? 5 : 40;
    const [poolable, second, third] = CLASSES;
    const plain = { poolableBytes: poolable };
    const classes = { poolableBytes: poolable, sizeClasses: [second, third] };
    const cases: readonly (readonly [what: string, options: PoolOptions, size: number])[] = [
      [`${sizeText(poolable)}, the poolable size`, plain, poolable],
      [`the same with Kafka's semantics`, { ...plain, semantics: 'kafka' }, poolable],
      [`${sizeText(poolable)}, first of three classes`, classes, poolable],
      [`${sizeText(second)}, second class`, classes, second],
      [`${sizeText(third)}, third class`, classes, third],
      [`${sizeText(48 * KIB)}, rounded up to the second class`, classes, 48 * KIB],
    ];
    const array: Contender = { name: 'array', run: () => ({ ns: arrayNanos(targetMs) }) };
    const contenders = cases.map(([name, options, size]) => ({
      name,
      run: () => ({ ns: poolNanos(options, size, targetMs) }),
    }));
    const results = await interleave([array, ...contenders], rounds);
    const rows = cases.map(
      ([what]): Row => ({
        what,
        ours: spread(results.summary(what, 'ns'), 'ns'),
        peer: `bare array ${spread(results.summary('array', 'ns'), 'ns')}`,
        ratio: results.ratio('array', what, 'ns'),
        target: undefined,
      }),
    );
    const [first] = cases;
    const nanos = first === undefined ? Number.NaN : results.median(first[0], 'ns');
    const aim: Row = {
      what: `${sizeText(poolable)}, the poolable size`,
      ours: `${figure(nanos)} ns`,
      peer: `at most ${AIM_NANOS} ns`,
      ratio: AIM_NANOS / nanos,
      target: 1,
    };
    return { title: this.title, rows: [aim, ...rows] };
  },
};

type PoolOptions = Omit<BufferPoolOptions, 'totalBytes'>;

function poolNanos(options: PoolOptions, size: number, targetMs: number): number {
  const pool = new BufferPool({ ...options, totalBytes: TOTAL_BYTES }, { clock: systemClock });
  // A few that rest in the pool, as in one that is in use.
  const resting = Array.from({ length: 8 }, () => pool.tryAllocate(size));
  for (const buffer of resting) pool.deallocate(buffer);
  const cycles = (): void => {
    for (let i = 0; i < CYCLES; i += 1) pool.deallocate(pool.tryAllocate(size));
  };
  return steadyNanosecondsPerCall(cycles, targetMs) / CYCLES;
}

function arrayNanos(targetMs: number): number {
  const array = Array.from({ length: 8 }, () => Buffer.allocUnsafeSlow(CLASSES[0]));
  const cycles = (): void => {
    for (let i = 0; i < CYCLES; i += 1) {
      const buffer = array.pop();
      if (buffer !== undefined) array.push(buffer);
    }
  };
  return steadyNanosecondsPerCall(cycles, targetMs) / CYCLES;
}
