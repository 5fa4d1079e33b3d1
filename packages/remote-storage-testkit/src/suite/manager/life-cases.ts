import assert from 'node:assert/strict';
import { seededSegment } from '../../fixtures/seeded-segment.ts';
import { rejectsWithKind } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { assertPresent, copy, type ManagerSubject } from '../manager-subject.ts';

/** Quotas, progress, and the end. */
export const MANAGER_LIFE_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'pacing and life',
  cases: [
    {
      name: 'a copy asks its pacer for all bytes, and reports all of them as progress',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const { log, offsetIndex, timeIndex, producerSnapshot } = segment.parts;
        const least = [log, offsetIndex, timeIndex, producerSnapshot].reduce(
          (sum, part) => sum + part.byteLength,
          0,
        );
        let taken = 0;
        let done = 0;
        const customMetadata = await manager.copyLogSegmentData(segment.metadata, segment.data, {
          pacer: {
            take: async (bytes) => {
              taken += bytes;
            },
          },
          onProgress: (bytes) => {
            done += bytes;
          },
        });
        assert.ok(taken >= least, `${taken} of ${least} bytes were asked for`);
        assert.ok(done >= least, `${done} of ${least} bytes were reported`);
        await assertPresent(manager, { ...segment.metadata, customMetadata }, segment.parts);
      },
    },
    {
      name: 'disposing of a manager twice is allowed, and calls after it are refused',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const metadata = await copy(manager, segment);
        await manager[Symbol.asyncDispose]();
        await manager[Symbol.asyncDispose]();
        await rejectsWithKind(copy(manager, segment), 'aborted');
        await rejectsWithKind(manager.fetchLogSegment(metadata, { start: 0 }), 'aborted');
        await rejectsWithKind(manager.fetchIndex(metadata, 'OFFSET'), 'aborted');
        await rejectsWithKind(manager.deleteLogSegmentData(metadata), 'aborted');
      },
    },
    {
      name: 'segments outlive the manager that copied them',
      skip: ({ manager, reopen }) => {
        if (!manager.capabilities.durable) return 'the manager is not durable';
        return reopen === undefined ? 'the manager cannot be opened again here' : undefined;
      },
      run: async ({ manager, seed, reopen }) => {
        const segment = seededSegment(seed, { content: 'records' });
        const metadata = await copy(manager, segment);
        await manager[Symbol.asyncDispose]();
        const again = await reopen?.();
        assert.ok(again !== undefined);
        try {
          await assertPresent(again, metadata, segment.parts);
        } finally {
          await again[Symbol.asyncDispose]();
        }
      },
    },
    {
      name: 'the capabilities are told in sensible numbers',
      run: async ({ manager }) => {
        const { name, maxSegmentBytes } = manager.capabilities;
        assert.ok(name.length > 0);
        assert.ok(Number.isSafeInteger(maxSegmentBytes) && maxSegmentBytes > 0);
      },
    },
  ],
};
