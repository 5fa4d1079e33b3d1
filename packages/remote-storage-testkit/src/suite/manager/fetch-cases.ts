import assert from 'node:assert/strict';
import { randomBelow, seededRandom } from '@logloft/clock';
import { type ByteRange, INDEX_TYPES } from '@logloft/remote-storage';
import { seededSegment } from '../../fixtures/seeded-segment.ts';
import {
  afterwards,
  allBytes,
  firstPiece,
  listenersOf,
  rejectsWith,
  rejectsWithKind,
  sameBytes,
} from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import {
  assertNotFound,
  assertPresent,
  copy,
  type ManagerSubject,
  readLog,
} from '../manager-subject.ts';

const LOG_BYTES = 200_000;
const LARGE_LOG_BYTES = 3_000_000;
const BREAK_OFFS = 1_000;

/** Segments being read. */
export const FETCH_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'fetching',
  cases: [
    {
      name: 'a segment that was never copied is not found, whatever is asked of it',
      run: async ({ manager, seed }) => {
        await assertNotFound(manager, seededSegment(seed).metadata);
      },
    },
    {
      name: 'both ends of a range of the log are inclusive, and its end is cut to the last byte',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed, { logBytes: LOG_BYTES });
        const { log } = segment.parts;
        const metadata = await copy(manager, segment);
        const last = LOG_BYTES - 1;
        const ranges: readonly [ByteRange, Uint8Array][] = [
          [{ start: 0 }, log],
          [{ start: 0, end: 0 }, log.subarray(0, 1)],
          [{ start: 100_000 }, log.subarray(100_000)],
          [{ start: 100, end: 199 }, log.subarray(100, 200)],
          [{ start: last }, log.subarray(last)],
          [{ start: last, end: last }, log.subarray(last)],
          [{ start: last - 9, end: LOG_BYTES * 10 }, log.subarray(last - 9)],
        ];
        for (const [range, expected] of ranges) {
          sameBytes(await readLog(manager, metadata, range), expected, JSON.stringify(range));
        }
      },
    },
    {
      name: 'any range of the log gives exactly the bytes of that place',
      run: async ({ manager, seed }) => {
        const random = seededRandom(seed);
        const segment = seededSegment(seed, { logBytes: LOG_BYTES });
        const metadata = await copy(manager, segment);
        for (let round = 0; round < 30; round += 1) {
          const start = randomBelow(random, LOG_BYTES);
          const end = start + randomBelow(random, LOG_BYTES);
          const expected = segment.parts.log.subarray(start, end + 1);
          const found = await readLog(manager, metadata, { start, end });
          sameBytes(found, expected, `seed ${seed}, ${start} to ${end}`);
        }
      },
    },
    {
      name: 'a range that starts at the end or beyond, or is malformed, is refused before the first piece',
      run: async ({ manager, seed }) => {
        const metadata = await copy(manager, seededSegment(seed, { logBytes: 1_000 }));
        const refused = [{ start: 1_000 }, { start: 5_000, end: 6_000 }, { start: -1 }];
        for (const range of [...refused, { start: 9, end: 8 }, { start: Number.NaN }]) {
          await rejectsWithKind(manager.fetchLogSegment(metadata, range), 'bad-range');
        }
      },
    },
    {
      name: `breaking off ${BREAK_OFFS} times uses nothing up`,
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed, { logBytes: LOG_BYTES });
        const metadata = await copy(manager, segment);
        for (let start = 0; start < BREAK_OFFS; start += 1) {
          const pieces = await manager.fetchLogSegment(metadata, { start });
          if (start % 2 === 0) await pieces[Symbol.asyncIterator]().return?.();
          else await firstPiece(pieces);
        }
        await assertPresent(manager, metadata, segment.parts);
      },
    },
    {
      name: 'a fetch whose signal aborted before it rejects with the reason',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const metadata = await copy(manager, segment);
        const reason = new Error('the consumer is gone');
        const signal = AbortSignal.abort(reason);
        await rejectsWith(manager.fetchLogSegment(metadata, { start: 0 }, { signal }), reason);
        await rejectsWith(manager.fetchIndex(metadata, 'OFFSET', { signal }), reason);
        await rejectsWith(manager.deleteLogSegmentData(metadata, { signal }), reason);
        await rejectsWith(
          manager.copyLogSegmentData(segment.metadata, segment.data, { signal }),
          reason,
        );
      },
    },
    {
      name: 'a fetch that is aborted between two pieces rejects with the reason',
      run: async ({ manager, seed }) => {
        const metadata = await copy(manager, seededSegment(seed, { logBytes: LARGE_LOG_BYTES }));
        const controller = new AbortController();
        const { signal } = controller;
        const pieces = await manager.fetchLogSegment(metadata, { start: 0 }, { signal });
        const iterator = pieces[Symbol.asyncIterator]();
        const first = await iterator.next();
        assert.ok(!first.done && first.value.byteLength < LARGE_LOG_BYTES, 'logs come in pieces');
        const reason = new Error('the consumer is gone');
        controller.abort(reason);
        await rejectsWith(iterator.next(), reason);
        await afterwards();
        assert.equal(listenersOf(signal), 0);
      },
    },
    {
      name: 'calls leave no listener on their signal, however they end',
      run: async ({ manager, seed }) => {
        const { signal } = new AbortController();
        const { metadata, data } = seededSegment(seed, { logBytes: LARGE_LOG_BYTES });
        await manager.copyLogSegmentData(metadata, data, { signal });
        await allBytes(await manager.fetchLogSegment(metadata, { start: 0 }, { signal }));
        await firstPiece(await manager.fetchLogSegment(metadata, { start: 0 }, { signal }));
        const beyond = { start: LARGE_LOG_BYTES };
        await rejectsWithKind(manager.fetchLogSegment(metadata, beyond, { signal }), 'bad-range');
        for (const type of INDEX_TYPES) await manager.fetchIndex(metadata, type, { signal });
        await manager.deleteLogSegmentData(metadata, { signal });
        await rejectsWithKind(manager.fetchIndex(metadata, 'OFFSET', { signal }), 'not-found');
        await afterwards();
        assert.equal(listenersOf(signal), 0);
      },
    },
    {
      name: 'a fetch that somebody gave up leaves the next one unharmed',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const metadata = await copy(manager, segment);
        const controller = new AbortController();
        const { signal } = controller;
        const reason = new Error('the consumer is gone');
        const given = manager.fetchIndex(metadata, 'OFFSET', { signal });
        const kept = manager.fetchIndex(metadata, 'OFFSET');
        controller.abort(reason);
        await given.catch((failure: unknown) => assert.equal(failure, reason));
        sameBytes(await kept, segment.parts.offsetIndex, 'the index');
        await assertPresent(manager, metadata, segment.parts);
      },
    },
  ],
};
