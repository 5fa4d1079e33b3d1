import type { RemoteLogSegmentMetadata, RemoteLogSegmentState } from '@logloft/remote-storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventVerdict, MetadataCache } from '../../src/metadata/metadata-cache.ts';
import { orders3, segment, segmentId } from '../support/segments.ts';

type Range = readonly [name: string, start: number, end: number];

function move(
  cache: MetadataCache,
  metadata: RemoteLogSegmentMetadata,
  state: RemoteLogSegmentState,
): EventVerdict {
  const { remoteLogSegmentId, customMetadata } = metadata;
  const update = { remoteLogSegmentId, customMetadata, state, brokerId: 1, eventTimestampMs: 2 };
  return cache.apply({ type: 'segment-update', update });
}

function finish(cache: MetadataCache, metadata: RemoteLogSegmentMetadata): void {
  expect(cache.apply({ type: 'segment', metadata })).toBe('applied');
  expect(move(cache, metadata, 'COPY_SEGMENT_FINISHED')).toBe('applied');
}

function cacheOf(ranges: readonly Range[]): MetadataCache {
  const cache = new MetadataCache();
  for (const [name, start, end] of ranges) finish(cache, segment(name, start, end));
  return cache;
}

const nameOf = (metadata: RemoteLogSegmentMetadata | undefined): string | undefined =>
  metadata && Buffer.from(metadata.remoteLogSegmentId.id, 'base64url').toString()[0];
const namesIn = (cache: MetadataCache, epoch = 0): string =>
  cache.list(epoch).map(nameOf).join(', ');

/** Offsets at which the answer changes: `0 B, 201 -`. */
function lookups(cache: MetadataCache, to: number): string {
  const changes: string[] = [];
  let before: string | undefined = '';
  for (let offset = 0; offset <= to; offset += 1) {
    const answer = nameOf(cache.find(0, offset)) ?? '-';
    if (answer !== before) changes.push(`${offset} ${answer}`);
    before = answer;
  }
  return changes.join(', ');
}

const A: Range = ['A', 0, 100];
const B: Range = ['B', 101, 200];

describe('finished segments of one epoch', () => {
  it.each<[string, Range[], string, string, number]>([
    ['a longer one from the same offset', [A, ['B', 0, 200]], '0 B, 201 -', 'B, A', 200],
    [
      'one that contains it',
      [
        ['A', 10, 90],
        ['B', 5, 100],
      ],
      '0 -, 5 B, 101 -',
      'B, A',
      100,
    ],
    ['a shorter overlap', [A, B, ['C', 50, 150]], '0 A, 50 C, 101 B, 201 -', 'A, C, B', 200],
    ['an overlap past the end', [A, B, ['C', 50, 250]], '0 A, 50 C, 251 -', 'A, C, B', 250],
    // Kafka loses the tail of A in the next two, and in the last one A altogether.
    [
      'a late inner one',
      [
        ['A', 0, 200],
        ['B', 50, 100],
      ],
      '0 A, 50 B, 101 A, 201 -',
      'A, B',
      200,
    ],
    [
      'a late shorter one',
      [
        ['A', 0, 200],
        ['B', 0, 100],
      ],
      '0 B, 101 A, 201 -',
      'A, B',
      200,
    ],
  ])('are found and listed after %s', (_name, ranges, found, listed, highest) => {
    const cache = cacheOf(ranges);
    expect(lookups(cache, 300)).toBe(found);
    expect(namesIn(cache)).toBe(listed);
    expect(cache.highestOffset(0)).toBe(highest);
  });

  it('keep the highest offset when they are deleted', () => {
    const cache = cacheOf([A]);
    const a = segment(...A);
    expect(move(cache, a, 'DELETE_SEGMENT_STARTED')).toBe('applied');
    expect(cache.find(0, 50)).toBeUndefined();
    expect(namesIn(cache)).toBe('A');
    expect(move(cache, a, 'DELETE_SEGMENT_FINISHED')).toBe('applied');
    expect(namesIn(cache)).toBe('');
    expect(cache.size).toBe(0);
    expect(cache.highestOffset(0)).toBe(100);
  });

  it('do not come back once superseded', () => {
    const cache = cacheOf([A, ['B', 0, 200]]);
    move(cache, segment('B', 0, 200), 'DELETE_SEGMENT_STARTED');
    move(cache, segment('B', 0, 200), 'DELETE_SEGMENT_FINISHED');
    expect(lookups(cache, 300)).toBe('0 -');
    expect(namesIn(cache)).toBe('A');
    expect(cache.highestOffset(0)).toBe(200);
  });

  it('are found wherever a finished one covers the offset, whatever the order of the uploads', () => {
    const range = fc.tuple(fc.nat(60), fc.nat(30));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (uploads) => {
        const cache = new MetadataCache();
        const covered = new Set<number>();
        for (const [index, [start, span]] of uploads.entries()) {
          finish(cache, segment(`${index}`, start, start + span));
          for (let offset = start; offset <= start + span; offset += 1) covered.add(offset);
        }
        for (let offset = 0; offset <= 100; offset += 1) {
          const found = cache.find(0, offset);
          expect(found !== undefined).toBe(covered.has(offset));
          expect(found?.startOffset ?? offset).toBeLessThanOrEqual(offset);
          expect(found?.endOffset ?? offset).toBeGreaterThanOrEqual(offset);
        }
        expect(cache.list(0)).toHaveLength(uploads.length);
      }),
      { seed: 3 },
    );
  });
});

describe('a segment that spans epochs', () => {
  const epochs = [
    { epoch: 0, startOffset: 101 },
    { epoch: 1, startOffset: 151 },
    { epoch: 2, startOffset: 171 },
  ];

  it('is found only under the epoch that wrote the offset', () => {
    const cache = cacheOf([]);
    finish(cache, segment('B', 101, 200, { epochs }));
    expect(nameOf(cache.find(0, 150))).toBe('B');
    expect(cache.find(0, 151)).toBeUndefined();
    expect(cache.find(1, 150)).toBeUndefined();
    expect(nameOf(cache.find(1, 170))).toBe('B');
    expect(nameOf(cache.find(2, 200))).toBe('B');
    expect([0, 1, 2, 3].map((epoch) => cache.highestOffset(epoch))).toEqual([
      150,
      170,
      200,
      undefined,
    ]);
  });

  it('is once in the whole list, and in that of each epoch', () => {
    const cache = cacheOf([]);
    finish(cache, segment('B', 101, 200, { epochs }));
    expect(cache.list()).toHaveLength(1);
    expect([0, 1, 2, 3].map((epoch) => namesIn(cache, epoch))).toEqual(['B', 'B', 'B', '']);
  });
});

describe('the states of a segment', () => {
  const states = [
    'COPY_SEGMENT_STARTED',
    'COPY_SEGMENT_FINISHED',
    'DELETE_SEGMENT_STARTED',
    'DELETE_SEGMENT_FINISHED',
  ] as const;
  const paths = [[], [1], [2], [2, 3]] as const;
  const legal = new Set(['0>1', '0>2', '1>1', '1>2', '2>2', '2>3']);

  for (const [from, path] of paths.entries()) {
    for (const [to, target] of states.entries()) {
      const verdict = legal.has(`${from}>${to}`) ? 'applied' : 'illegal-transition';
      const expected = from === 3 ? 'unknown-segment' : verdict;
      it(`answer ${expected} to an update from ${states[from]} to ${target}`, () => {
        const cache = new MetadataCache();
        const metadata = segment('S', 0, 9);
        cache.apply({ type: 'segment', metadata });
        for (const step of path) move(cache, metadata, states[step]);
        const before = cache.list();
        expect(move(cache, metadata, target)).toBe(expected);
        if (expected !== 'applied') expect(cache.list()).toEqual(before);
      });
    }
  }

  it('of a started one: listed, not found, not counted as highest', () => {
    const cache = new MetadataCache();
    cache.apply({ type: 'segment', metadata: segment('S', 0, 9) });
    expect(cache.find(0, 5)).toBeUndefined();
    expect(cache.highestOffset(0)).toBeUndefined();
    expect(namesIn(cache)).toBe('S');
  });

  it('ignore a second start of a known id, and a start in another state', () => {
    const cache = cacheOf([A]);
    expect(cache.apply({ type: 'segment', metadata: segment(...A) })).toBe('duplicate');
    const metadata = segment('Z', 0, 9, { state: 'COPY_SEGMENT_FINISHED' });
    expect(cache.apply({ type: 'segment', metadata })).toBe('illegal-transition');
    expect(cache.get(segmentId('Z'))).toBeUndefined();
  });

  it('take the custom metadata of an update, also when it has none', () => {
    const cache = new MetadataCache();
    const metadata = { ...segment('S', 0, 9), customMetadata: Uint8Array.of(1) };
    cache.apply({ type: 'segment', metadata });
    move(cache, { ...metadata, customMetadata: undefined }, 'COPY_SEGMENT_FINISHED');
    expect(cache.get(segmentId('S'))?.customMetadata).toBeUndefined();
  });
});

describe('segments with aborted transactions', () => {
  it('are found at or after an offset, others are skipped', () => {
    const cache = new MetadataCache();
    const flags = [true, false, true, false];
    for (const [at, txnIdxEmpty] of flags.entries()) {
      finish(cache, segment(`${at}`, at * 10, at * 10 + 9, { txnIdxEmpty }));
    }
    const next = (offset: number): string | undefined => nameOf(cache.nextWithTxnIndex(0, offset));
    expect([0, 9, 10, 19, 20, 39, 40].map(next)).toEqual(['1', '1', '1', '1', '3', '3', undefined]);
    expect(cache.nextWithTxnIndex(1, 0)).toBeUndefined();
  });
});

describe('the deletion of a whole partition', () => {
  it('goes from marked over started to finished, then perhaps from marked again, and no other way', () => {
    const cache = new MetadataCache();
    const step = (state: 'MARKED' | 'STARTED' | 'FINISHED'): EventVerdict =>
      cache.apply({
        type: 'partition-delete',
        deletion: {
          topicIdPartition: orders3,
          brokerId: 1,
          eventTimestampMs: 1,
          state: `DELETE_PARTITION_${state}`,
        },
      });
    expect(step('STARTED')).toBe('illegal-transition');
    expect(step('MARKED')).toBe('applied');
    expect(step('FINISHED')).toBe('illegal-transition');
    expect(step('STARTED')).toBe('applied');
    expect(step('STARTED')).toBe('applied');
    expect(step('MARKED')).toBe('illegal-transition');
    expect(step('FINISHED')).toBe('applied');
    expect(cache.deletion?.state).toBe('DELETE_PARTITION_FINISHED');
    expect(step('STARTED')).toBe('illegal-transition');
    // The topic left the remote tier, came back with new data, and leaves it once more.
    expect(step('MARKED')).toBe('applied');
    expect(step('STARTED')).toBe('applied');
    expect(step('FINISHED')).toBe('applied');
  });
});
