import { crc32 } from 'node:zlib';
import { crc32c, crc32cFallback, crc32cImplementation } from '@logloft/records';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure, size as sizeText, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, nanosecondsPerCall } from '../harness/rounds.ts';

const KIB = 1024;
const SIZES = [100, KIB, 16 * KIB, KIB * KIB] as const;
// Only at 16 KiB, a usual batch, something is aimed at; the other sizes are for information.
const AIM_BYTES = 16 * KIB;
const CHOSEN_AIM = 0.9;
const FALLBACK_AIM = 0.25;

async function measure(size: number, { smoke, rounds }: BenchOptions): Promise<Row[]> {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i += 1) bytes[i] = (i * 31) & 0xff;
  const targetMs = smoke ? 4 : 25;
  const contender = (name: string, call: () => void) => ({
    name,
    run: () => ({ ns: nanosecondsPerCall(call, targetMs) }),
  });
  const results = await interleave(
    [
      contender('chosen', () => crc32c(bytes)),
      contender('fallback', () => crc32cFallback(bytes)),
      contender('zlib', () => crc32(bytes)),
    ],
    rounds,
  );
  const row = (name: string, label: string, aim: number): Row => ({
    what: `${label}, ${sizeText(size)}`,
    ours: `${spread(results.summary(name, 'ns'), 'ns')}, ${figure(size / results.median(name, 'ns'))} GB/s`,
    peer: `zlib.crc32 ${figure(results.median('zlib', 'ns'))} ns`,
    ratio: results.ratio('zlib', name, 'ns'),
    target: size === AIM_BYTES ? aim : undefined,
  });
  return [
    row('chosen', crc32cImplementation(), CHOSEN_AIM),
    row('fallback', 'fallback', FALLBACK_AIM),
  ];
}

/** CRC-32C against the CRC-32 that is built into Node. */
export const b1: Bench = {
  id: 'B1',
  title: 'B1 CRC-32C of one buffer',
  async run(options: BenchOptions): Promise<Report> {
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(...(await measure(size, options)));
    return { title: this.title, rows };
  },
};
