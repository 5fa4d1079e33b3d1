import { BatchBuilder } from '@logloft/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchCollector } from '../../src/read/batch-collector.ts';

function batch(baseOffset: number, records: number, bytes: number): Buffer {
  const builder = new BatchBuilder({ baseOffset });
  for (let i = 0; i < records; i += 1)
    builder.append({ timestamp: 1, value: Buffer.alloc(bytes, i) });
  return builder.build();
}

const batches = [batch(0, 3, 10), batch(3, 1, 500), batch(4, 2, 0), batch(6, 4, 50)];
const log = Buffer.concat(batches);
const sizes = batches.map((one) => one.length);

function collect(
  options: { fromOffset: number; maxBytes: number; firstBatchAlways?: boolean },
  pieces: Iterable<Uint8Array> = [log],
): BatchCollector {
  const collector = new BatchCollector({
    availableBytes: log.length,
    firstBatchAlways: true,
    ...options,
  });
  for (const piece of pieces) collector.add(piece);
  return collector;
}

describe('the batches of a read', () => {
  it.each([
    [0, 1e6, batches],
    [2, 1e6, batches],
    [3, 1e6, batches.slice(1)],
    [5, 1e6, batches.slice(2)],
    [9, 1e6, batches.slice(3)],
    [10, 1e6, []],
    [0, 1, batches.slice(0, 1)],
    [3, 1, batches.slice(1, 2)],
    [0, (sizes[0] ?? 0) + (sizes[1] ?? 0), batches.slice(0, 2)],
    [0, (sizes[0] ?? 0) + (sizes[1] ?? 0) + 61, batches.slice(0, 2)],
    [0, (sizes[0] ?? 0) + (sizes[1] ?? 0) - 1, batches.slice(0, 1)],
  ])('from offset %i in at most %i bytes are whole ones', (fromOffset, maxBytes, expected) => {
    const collector = collect({ fromOffset, maxBytes });
    expect(collector.records.equals(Buffer.concat(expected))).toBe(true);
  });

  it('are none when the first is too large and may not be', () => {
    const collector = collect({ fromOffset: 3, maxBytes: 100, firstBatchAlways: false });
    expect(collector.records).toHaveLength(0);
    expect(collector.done).toBe(true);
  });

  it('know where they begin and end', () => {
    const collector = collect({ fromOffset: 4, maxBytes: (sizes[2] ?? 0) + 10 });
    expect(collector.firstBatchAt).toBe((sizes[0] ?? 0) + (sizes[1] ?? 0));
    expect(collector.lastOffset).toBe(5);
  });

  it('are the same however the log is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
        fc.nat(11),
        fc.integer({ min: 1, max: 1500 }),
        (cuts, fromOffset, maxBytes) => {
          const pieces: Buffer[] = [];
          for (let at = 0, i = 0; at < log.length; i += 1) {
            const size = cuts[i % cuts.length] ?? 1;
            pieces.push(log.subarray(at, at + size));
            at += size;
          }
          const whole = collect({ fromOffset, maxBytes });
          const cut = collect({ fromOffset, maxBytes }, pieces);
          expect(cut.records.equals(whole.records)).toBe(true);
          expect(cut.lastOffset).toBe(whole.lastOffset);
        },
      ),
      { seed: 4 },
    );
  });

  it('leave out the last one when it is cut off', () => {
    const collector = collect({ fromOffset: 0, maxBytes: 1e6 }, [log.subarray(0, log.length - 1)]);
    expect(collector.records.equals(Buffer.concat(batches.slice(0, 3)))).toBe(true);
    expect(collector.lastOffset).toBe(5);
  });
});

describe('bytes that are no batches', () => {
  it.each([
    ['a length below a header', 10],
    ['a negative length', -1],
    ['a length beyond the segment', 2_000_000_000],
  ])('(%s) are a typed error, and no memory is taken for them', (_name, length) => {
    const damaged = Buffer.from(log);
    damaged.writeInt32BE(length, 8);
    expect(() => collect({ fromOffset: 0, maxBytes: 1e6 }, [damaged])).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_RLM_CORRUPT_BATCH' }),
    );
  });

  it('of any kind are whole batches or a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        try {
          const collector = collect({ fromOffset: 0, maxBytes: 1000 }, [noise]);
          expect(collector.records.length).toBeLessThanOrEqual(noise.length);
        } catch (error) {
          expect(error).toMatchObject({ code: 'LOGLOFT_RLM_CORRUPT_BATCH' });
        }
      }),
      { seed: 5 },
    );
  });
});
