import assert from 'node:assert/strict';
import {
  INDEX_TYPES,
  type RemoteLogSegmentMetadata,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import { type SeededSegment, seededSegment } from '../../fixtures/seeded-segment.ts';
import type { SegmentDamage } from '../../fixtures/segment-damage.ts';
import { rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceCase, ConformanceGroup } from '../conformance-case.ts';
import {
  assertNotFound,
  assertPresent,
  copy,
  type ManagerSubject,
  readLog,
} from '../manager-subject.ts';

interface Copied extends SeededSegment {
  readonly copied: RemoteLogSegmentMetadata;
}

type Blow = Pick<SegmentDamage, 'part' | 'how'>;

function cannotDamage({ damage, reopen }: ManagerSubject): string | undefined {
  return damage && reopen ? undefined : 'stored segments cannot be damaged here';
}

/** Copies a sound segment and one for each blow, deals the blows, and looks at all with a fresh manager. */
async function afterBlows(
  { manager, seed, damage, reopen }: ManagerSubject,
  blows: readonly Blow[],
  look: (fresh: RemoteStorageManager, hurt: readonly Copied[]) => Promise<void>,
): Promise<void> {
  const hurt: Copied[] = [];
  for (const [index, blow] of blows.entries()) {
    const segment = seededSegment(seed + 1 + index, { content: 'records' });
    const copied = await copy(manager, segment);
    await damage?.({ ...blow, segment: copied });
    hurt.push({ ...segment, copied });
  }
  const sound = seededSegment(seed);
  const soundCopy = await copy(manager, sound);
  const fresh = await reopen?.();
  assert.ok(fresh !== undefined);
  try {
    await look(fresh, hurt);
    await assertPresent(fresh, soundCopy, sound.parts);
    for (const { copied } of hurt) {
      await fresh.deleteLogSegmentData(copied);
      await assertNotFound(fresh, copied);
    }
  } finally {
    await fresh[Symbol.asyncDispose]();
  }
}

async function assertLogCorrupt(
  fresh: RemoteStorageManager,
  { copied, parts }: Copied,
): Promise<void> {
  await rejectsWithKind(readLog(fresh, copied), 'corrupt');
  // What the damage does not touch is still there.
  sameBytes(await fresh.fetchIndex(copied, 'OFFSET'), parts.offsetIndex, 'the offset index');
}

const CASES: readonly ConformanceCase<ManagerSubject>[] = [
  {
    name: 'a segment whose last object is gone is not found, others are unharmed, and it can be deleted',
    run: async (subject) => {
      await afterBlows(subject, [{ part: 'manifest', how: 'remove' }], async (fresh, hurt) => {
        for (const { copied } of hurt) await assertNotFound(fresh, copied);
      });
    },
  },
  {
    name: 'a log that is gone is told to be, and its indexes are still there',
    run: async (subject) => {
      await afterBlows(subject, [{ part: 'log', how: 'remove' }], async (fresh, hurt) => {
        for (const { copied, parts } of hurt) {
          await rejectsWithKind(readLog(fresh, copied), 'corrupt', 'not-found');
          const found = await fresh.fetchIndex(copied, 'TIMESTAMP');
          sameBytes(found, parts.timeIndex, 'the time index');
        }
      });
    },
  },
  {
    name: 'a log that was cut short is corrupt, never short',
    run: async (subject) => {
      await afterBlows(subject, [{ part: 'log', how: 'shorten' }], async (fresh, hurt) => {
        for (const one of hurt) await assertLogCorrupt(fresh, one);
      });
    },
  },
  {
    name: 'a manifest that was cut short is corrupt, and does not hide the segment',
    run: async (subject) => {
      await afterBlows(subject, [{ part: 'manifest', how: 'shorten' }], async (fresh, hurt) => {
        for (const { copied } of hurt) {
          await rejectsWithKind(fresh.fetchLogSegment(copied, { start: 0 }), 'corrupt');
          await rejectsWithKind(fresh.fetchIndex(copied, 'OFFSET'), 'corrupt');
        }
      });
    },
  },
  {
    name: 'indexes that were cut short or are gone are told to be, and the log is still there',
    run: async (subject) => {
      const blows: readonly Blow[] = [
        { part: 'indexes', how: 'shorten' },
        { part: 'indexes', how: 'remove' },
      ];
      await afterBlows(subject, blows, async (fresh, hurt) => {
        const [short, gone] = hurt;
        assert.ok(short !== undefined && gone !== undefined);
        const outcomes = await Promise.allSettled(
          INDEX_TYPES.map((type) => fresh.fetchIndex(short.copied, type)),
        );
        const lost = outcomes.filter(({ status }) => status === 'rejected');
        assert.equal(lost.length, 1, 'exactly the index at the end has lost a byte');
        const type = INDEX_TYPES[outcomes.findIndex(({ status }) => status === 'rejected')];
        assert.ok(type !== undefined);
        await rejectsWithKind(fresh.fetchIndex(short.copied, type), 'corrupt');
        await rejectsWithKind(fresh.fetchIndex(gone.copied, 'OFFSET'), 'corrupt', 'not-found');
        // Here `not-found` would say that there were no transactions.
        await rejectsWithKind(fresh.fetchIndex(gone.copied, 'TRANSACTION'), 'corrupt');
        for (const { copied, parts } of hurt) {
          sameBytes(await readLog(fresh, copied), parts.log, 'the log');
        }
      });
    },
  },
  {
    name: 'a log of which one bit was turned is corrupt',
    skip: ({ noticesAltered }) =>
      noticesAltered ? undefined : 'altered bytes cannot be noticed without checksum or encryption',
    run: async (subject) => {
      await afterBlows(subject, [{ part: 'log', how: 'alter' }], async (fresh, hurt) => {
        for (const one of hurt) await assertLogCorrupt(fresh, one);
      });
    },
  },
];

/** Segments that were harmed in the store. */
export const DAMAGE_CASES: ConformanceGroup<ManagerSubject> = {
  name: 'damage in the store',
  cases: CASES.map((one) => ({
    ...one,
    skip: (subject) => cannotDamage(subject) ?? one.skip?.(subject),
  })),
};
