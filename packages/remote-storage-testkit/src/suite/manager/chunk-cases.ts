import assert from 'node:assert/strict';
import { seededSegment } from '../../fixtures/seeded-segment.ts';
import { sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { assertPresent, copy, type ManagerSubject, readLog } from '../manager-subject.ts';

const CHUNKS = 5;

/** Logs that are cut, packed or encrypted on their way, and must not show it. */
export const CHUNK_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'chunks',
  cases: [
    {
      name: 'record batches, which compress well, come back byte for byte',
      run: async ({ manager, seed, chunkBytes }) => {
        const logBytes = CHUNKS * chunkBytes + 1;
        const segment = seededSegment(seed, { content: 'records', logBytes });
        await assertPresent(manager, await copy(manager, segment), segment.parts);
      },
    },
    {
      name: 'ranges round the borders of chunks give exactly the bytes of their places',
      run: async ({ manager, seed, chunkBytes }) => {
        for (const content of ['records', 'random'] as const) {
          const segment = seededSegment(seed, { content, logBytes: CHUNKS * chunkBytes + 7 });
          const { log } = segment.parts;
          const metadata = await copy(manager, segment);
          for (let border = chunkBytes; border < log.byteLength; border += chunkBytes) {
            const ranges = [
              { start: border - 1, end: border - 1 },
              { start: border, end: border },
              { start: border - 1, end: border },
              { start: border - chunkBytes, end: border + chunkBytes - 1 },
              { start: border - chunkBytes + 1, end: border + chunkBytes },
            ];
            for (const range of ranges) {
              const found = await readLog(manager, metadata, range);
              const expected = log.subarray(range.start, range.end + 1);
              sameBytes(found, expected, `${content}, ${JSON.stringify(range)}`);
            }
          }
        }
      },
    },
    {
      name: 'a log that ends at the border of a chunk, or a byte beside it, is whole',
      run: async ({ manager, seed, chunkBytes }) => {
        for (const offBy of [-1, 0, 1]) {
          for (const chunks of [1, 2]) {
            const logBytes = Math.max(1, chunks * chunkBytes + offBy);
            const segment = seededSegment(seed + logBytes, { logBytes });
            await assertPresent(manager, await copy(manager, segment), segment.parts);
          }
        }
      },
    },
    {
      name: 'a reader that goes on from where it stopped meets every byte once',
      run: async ({ manager, seed, chunkBytes }) => {
        const logBytes = CHUNKS * chunkBytes;
        const segment = seededSegment(seed, { content: 'records', logBytes });
        const { log } = segment.parts;
        const metadata = await copy(manager, segment);
        const step = Math.max(1, Math.floor(chunkBytes * 0.7));
        const pieces: Uint8Array[] = [];
        for (let start = 0; start < log.byteLength; start += step) {
          pieces.push(await readLog(manager, metadata, { start, end: start + step - 1 }));
        }
        sameBytes(Buffer.concat(pieces), log, 'the log in steps');
      },
    },
    {
      name: 'many readers of neighbouring places at once do not disturb one another',
      run: async ({ manager, seed, chunkBytes }) => {
        const logBytes = CHUNKS * chunkBytes;
        const segment = seededSegment(seed, { content: 'records', logBytes });
        const metadata = await copy(manager, segment);
        const starts = Array.from({ length: 16 }, (_, index) =>
          Math.floor((index * logBytes) / 16),
        );
        const found = await Promise.all(
          starts.map((start) => readLog(manager, metadata, { start, end: start + chunkBytes })),
        );
        for (const [index, start] of starts.entries()) {
          const expected = segment.parts.log.subarray(start, start + chunkBytes + 1);
          const bytes = found[index];
          assert.ok(bytes !== undefined);
          sameBytes(bytes, expected, `the reader from ${start}`);
        }
      },
    },
  ],
};
