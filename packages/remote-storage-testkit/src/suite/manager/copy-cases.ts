import assert from 'node:assert/strict';
import type { LogSegmentData } from '@logloft/remote-storage';
import { failingSource, gatedSource, lyingSource } from '../../fixtures/gated-source.ts';
import { dataOf, seededSegment } from '../../fixtures/seeded-segment.ts';
import { listenersOf, rejects, rejectsWith } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { assertNotFound, assertPresent, copy, type ManagerSubject } from '../manager-subject.ts';

const PARTS = ['log', 'offsetIndex', 'timeIndex', 'producerSnapshot', 'transactionIndex'] as const;

// Kafka's default bound; a plugin whose answer is longer has its copies thrown away.
const MAX_CUSTOM_METADATA_BYTES = 128;

/** Segments on their way into the store. */
export const COPY_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'copying',
  cases: [
    {
      name: 'all parts of a segment come back byte for byte',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        await assertPresent(manager, await copy(manager, segment), segment.parts);
      },
    },
    {
      name: 'a second copy under the same id wins, and no part of the first is left',
      run: async ({ manager, seed }) => {
        const first = seededSegment(seed, { logBytes: 120_000 });
        const { parts } = seededSegment(seed + 1, { logBytes: 70_000, transactionIndex: 'absent' });
        await assertPresent(manager, await copy(manager, first), first.parts);
        const metadata = { ...first.metadata, segmentSizeInBytes: 70_000 };
        const again = await copy(manager, { metadata, parts, data: dataOf(parts) });
        await assertPresent(manager, again, parts);
      },
    },
    {
      name: 'without a transaction index TRANSACTION is not found, and all else is there',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed, { transactionIndex: 'absent' });
        await assertPresent(manager, await copy(manager, segment), segment.parts);
      },
    },
    {
      name: 'parts of no bytes are parts like any other',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed, { transactionIndex: 'empty', emptyIndexes: true });
        await assertPresent(manager, await copy(manager, segment), segment.parts);
      },
    },
    {
      name: 'until the copy returns nothing of the segment is found, whatever part is being copied',
      run: async ({ manager, seed }) => {
        for (const [index, part] of PARTS.entries()) {
          const segment = seededSegment(seed + index);
          const gated = gatedSource(segment.parts[part] ?? new Uint8Array(0));
          const data: LogSegmentData = { ...segment.data, [part]: gated.source };
          const copying = copy(manager, { ...segment, data });
          await gated.reached;
          await assertNotFound(manager, segment.metadata);
          gated.open();
          await assertPresent(manager, await copying, segment.parts);
        }
      },
    },
    {
      name: 'a copy whose source fails rejects, and the segment is not found',
      run: async ({ manager, seed }) => {
        for (const [index, part] of PARTS.entries()) {
          const segment = seededSegment(seed + index);
          const bytes = segment.parts[part] ?? new Uint8Array(0);
          const data = { ...segment.data, [part]: failingSource(bytes, new Error('gone')) };
          await rejects(copy(manager, { ...segment, data }), `a copy without its ${part}`);
          await assertNotFound(manager, segment.metadata);
          await manager.deleteLogSegmentData(segment.metadata);
        }
      },
    },
    {
      name: 'a log that is shorter than promised is not copied',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const { log } = segment.parts;
        const short = lyingSource(log.subarray(0, -1), log.byteLength);
        const data = { ...segment.data, log: short };
        await rejects(copy(manager, { ...segment, data }), 'a copy of a short log');
        await assertNotFound(manager, segment.metadata);
      },
    },
    {
      name: 'a copy that failed is made good by another, under the same id or a new one',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed);
        const broken = failingSource(segment.parts.log, new Error('gone'));
        const data = { ...segment.data, log: broken };
        await rejects(copy(manager, { ...segment, data }), 'a copy from a broken source');
        await assertPresent(manager, await copy(manager, segment), segment.parts);
      },
    },
    {
      name: 'a copy that is aborted rejects with the reason, and the segment is not found',
      run: async ({ manager, seed }) => {
        for (const [index, part] of PARTS.entries()) {
          const segment = seededSegment(seed + index);
          const gated = gatedSource(segment.parts[part] ?? new Uint8Array(0));
          const data: LogSegmentData = { ...segment.data, [part]: gated.source };
          const controller = new AbortController();
          const { signal } = controller;
          const copying = manager.copyLogSegmentData(segment.metadata, data, { signal });
          await gated.reached;
          const reason = new Error('no longer the leader');
          controller.abort(reason);
          await rejectsWith(copying, reason);
          await assertNotFound(manager, segment.metadata);
          assert.equal(listenersOf(signal), 0);
        }
      },
    },
    {
      name: 'several copies at once do not disturb one another',
      run: async ({ manager, seed }) => {
        const segments = Array.from({ length: 8 }, (_, index) => seededSegment(seed + index));
        const copied = await Promise.all(segments.map((segment) => copy(manager, segment)));
        for (const [index, metadata] of copied.entries()) {
          const parts = segments[index]?.parts;
          assert.ok(parts !== undefined);
          await assertPresent(manager, metadata, parts);
        }
      },
    },
    {
      name: 'what the catalogue is to keep is short enough for it',
      run: async ({ manager, seed }) => {
        const segment = seededSegment(seed, { topic: 't'.repeat(249) });
        const { customMetadata } = await copy(manager, segment);
        assert.ok((customMetadata?.byteLength ?? 0) <= MAX_CUSTOM_METADATA_BYTES);
      },
    },
  ],
};
