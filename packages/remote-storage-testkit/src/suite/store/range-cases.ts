import { randomBelow, seededRandom } from '@logloft/clock';
import type { ByteRange } from '@logloft/remote-storage';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { firstPiece, rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, putBytes, type StoreSubject } from '../store-subject.ts';

const SIZE = 300_000;

const MALFORMED: readonly ByteRange[] = [
  { start: -1, end: 5 },
  { start: 5, end: 4 },
  { start: 0.5, end: 4 },
  { start: Number.NaN, end: 4 },
  { start: 0, end: Number.POSITIVE_INFINITY },
];

const BREAK_OFFS = 1_000;

/** Parts of objects. */
export const RANGE_CASES: ConformanceGroup<StoreSubject> = {
  name: 'ranges',
  cases: [
    {
      name: 'both ends of a range are inclusive, and its end is cut to the last byte',
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, SIZE);
        await putBytes(store, 'object', bytes);
        const last = SIZE - 1;
        const ranges: readonly [ByteRange, Uint8Array][] = [
          [{ start: 0, end: 0 }, bytes.subarray(0, 1)],
          [{ start: 0, end: last }, bytes],
          [{ start: 0 }, bytes],
          [{ start: 10, end: 19 }, bytes.subarray(10, 20)],
          [{ start: 65_535, end: 65_536 }, bytes.subarray(65_535, 65_537)],
          [{ start: last, end: last }, bytes.subarray(last)],
          [{ start: last }, bytes.subarray(last)],
          [{ start: last - 1, end: SIZE + 1_000 }, bytes.subarray(last - 1)],
          [{ start: 1, end: Number.MAX_SAFE_INTEGER }, bytes.subarray(1)],
        ];
        for (const [range, expected] of ranges) {
          sameBytes(await getBytes(store, 'object', range), expected, JSON.stringify(range));
        }
      },
    },
    {
      name: 'any range gives exactly the bytes of that place',
      run: async ({ store, seed }) => {
        const random = seededRandom(seed);
        const bytes = seededBytes(seed, SIZE);
        await putBytes(store, 'object', bytes);
        for (let round = 0; round < 40; round += 1) {
          const start = randomBelow(random, SIZE);
          const end = start + randomBelow(random, SIZE);
          const found = await getBytes(store, 'object', { start, end });
          sameBytes(found, bytes.subarray(start, end + 1), `seed ${seed}, ${start} to ${end}`);
        }
      },
    },
    {
      name: 'a range that starts at the end or beyond is refused before the first piece',
      run: async ({ store, seed }) => {
        await putBytes(store, 'object', seededBytes(seed, 100));
        await putBytes(store, 'empty', new Uint8Array(0));
        await rejectsWithKind(store.get('object', { start: 100 }), 'bad-range');
        await rejectsWithKind(store.get('object', { start: 100, end: 200 }), 'bad-range');
        await rejectsWithKind(store.get('object', { start: 1_000_000 }), 'bad-range');
        await rejectsWithKind(store.get('empty', { start: 0 }), 'bad-range');
      },
    },
    {
      name: 'a malformed range is refused',
      run: async ({ store, seed }) => {
        await putBytes(store, 'object', seededBytes(seed, 100));
        for (const range of MALFORMED) {
          await rejectsWithKind(store.get('object', range), 'bad-range');
        }
      },
    },
    {
      name: `breaking off ${BREAK_OFFS} times uses nothing up`,
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, SIZE);
        await putBytes(store, 'object', bytes);
        for (let round = 0; round < BREAK_OFFS; round += 1) {
          const pieces = await store.get('object', { start: round });
          // Every other reader leaves before the first piece.
          if (round % 2 === 0) await pieces[Symbol.asyncIterator]().return?.();
          else await firstPiece(pieces);
        }
        sameBytes(await getBytes(store, 'object'), bytes, 'the object afterwards');
      },
    },
    {
      name: 'many readers of one object do not disturb one another',
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, SIZE);
        await putBytes(store, 'object', bytes);
        const starts = Array.from({ length: 12 }, (_, index) => index * 20_000);
        await Promise.all(
          starts.map(async (start) => {
            const found = await getBytes(store, 'object', { start });
            sameBytes(found, bytes.subarray(start), `reader from ${start}`);
          }),
        );
      },
    },
  ],
};
