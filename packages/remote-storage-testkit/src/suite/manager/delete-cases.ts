import { failingSource } from '../../fixtures/gated-source.ts';
import { seededSegment } from '../../fixtures/seeded-segment.ts';
import { rejects } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { assertNotFound, assertPresent, copy, type ManagerSubject } from '../manager-subject.ts';

/** Segments that go, and segments that look alike. */
export const SEGMENT_DELETE_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'deleting and telling apart',
  cases: [
    {
      name: 'a deleted segment is not found, also after it was read, and deleting twice is allowed',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const metadata = await copy(manager, segment);
        await assertPresent(manager, metadata, segment.parts);
        await manager.deleteLogSegmentData(metadata);
        await assertNotFound(manager, metadata);
        await manager.deleteLogSegmentData(metadata);
        await assertNotFound(manager, metadata);
      },
    },
    {
      name: 'a segment that was never copied, or only in part, can be deleted',
      run: async ({ manager, seed }) => {
        await manager.deleteLogSegmentData(seededSegment(seed).metadata);
        const half = seededSegment(seed + 1);
        const data = {
          ...half.data,
          timeIndex: failingSource(half.parts.timeIndex, new Error('gone')),
        };
        await rejects(copy(manager, { ...half, data }), 'a copy from a broken source');
        await manager.deleteLogSegmentData(half.metadata);
        await assertNotFound(manager, half.metadata);
      },
    },
    {
      name: 'the same offsets under two ids are two segments',
      run: async ({ manager, seed }) => {
        const first = seededSegment(seed, { topic: 'same' });
        const { topicId } = first.metadata.remoteLogSegmentId.topicIdPartition;
        const { startOffset } = first.metadata;
        const second = seededSegment(seed + 1, { topic: 'same', topicId, startOffset });
        const firstCopy = await copy(manager, first);
        const secondCopy = await copy(manager, second);
        await assertPresent(manager, firstCopy, first.parts);
        await manager.deleteLogSegmentData(firstCopy);
        await assertNotFound(manager, firstCopy);
        await assertPresent(manager, secondCopy, second.parts);
      },
    },
    {
      name: 'a topic that was created anew under its old name is another one',
      run: async ({ manager, seed }) => {
        const { id } = seededSegment(seed).metadata.remoteLogSegmentId;
        const shared = { topic: 'same', startOffset: 7, segmentId: id };
        const first = seededSegment(seed + 1, shared);
        const second = seededSegment(seed + 2, shared);
        const firstCopy = await copy(manager, first);
        const secondCopy = await copy(manager, second);
        await manager.deleteLogSegmentData(secondCopy);
        await assertNotFound(manager, secondCopy);
        await assertPresent(manager, firstCopy, first.parts);
      },
    },
    {
      name: 'partitions and topics with like names are told apart, and odd names are ordinary',
      run: async ({ manager, seed }) => {
        const places = [
          { topic: 'constructor', partition: 0 },
          { topic: '__proto__', partition: 0 },
          { topic: 'a.b', partition: 1 },
          { topic: 'a_b', partition: 1 },
          { topic: 'a-b', partition: 1 },
          { topic: 'a-b', partition: 11 },
          { topic: 't'.repeat(249), partition: 2_147_483_647 },
        ];
        const shared = { startOffset: Number.MAX_SAFE_INTEGER - 2_000, logBytes: 500 };
        const segments = places.map((place, index) =>
          seededSegment(seed + index, { ...shared, ...place }),
        );
        const copied = await Promise.all(segments.map((segment) => copy(manager, segment)));
        for (const [index, segment] of segments.entries()) {
          const metadata = copied[index];
          if (metadata !== undefined) await assertPresent(manager, metadata, segment.parts);
        }
      },
    },
  ],
};
