import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { describe, expect, it } from 'vitest';
import {
  type ExpireFacts,
  type ExpirePlan,
  expirableSegments,
} from '../../src/expire/expirable-segments.ts';
import { type SegmentFacts, segment } from '../support/segments.ts';

const NOW = 1_700_000_100_000;
const finished = (name: string, start: number, end: number, facts: SegmentFacts = {}) =>
  segment(name, start, end, {
    state: 'COPY_SEGMENT_FINISHED',
    maxTimestampMs: NOW - 1000,
    eventTimestampMs: NOW,
    size: 100,
    ...facts,
  });
const old = { maxTimestampMs: NOW - 5001 };
const active = {
  baseOffset: 300,
  nextOffset: 310,
  sizeInBytes: 50,
  maxTimestampMs: NOW,
  active: true,
};

const nameOf = (one: RemoteLogSegmentMetadata): string =>
  Buffer.from(one.remoteLogSegmentId.id, 'base64url').toString()[0] ?? '';

/** The plan, and how often others got their turn while it was made. */
function decide(facts: Partial<ExpireFacts>): { result: ExpirePlan; turns: number } {
  const work = expirableSegments({
    remote: [],
    local: [active],
    lineage: [{ epoch: 0, startOffset: 0 }],
    logStartOffset: 0,
    logEndOffset: 310,
    highWatermark: 310,
    highestRemoteOffset: 299,
    retentionMs: -1,
    retentionBytes: -1,
    nowMs: NOW,
    brokerId: 1,
    danglingGraceMs: 60_000,
    flightOf: () => undefined,
    ...facts,
  });
  for (let turns = 0; ; turns += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, turns };
  }
}

function plan(facts: Partial<ExpireFacts>): string {
  const { result } = decide(facts);
  const deletions = result.deletions.map(({ segment: one, reason }) => `${nameOf(one)} ${reason}`);
  return [`start ${result.logStartOffset}`, ...deletions].join(', ');
}

const A = finished('A', 0, 99, old);
const B = finished('B', 100, 199, old);
const C = finished('C', 200, 299);

describe('what expires', () => {
  it.each<[string, Partial<ExpireFacts>, string]>([
    ['nothing without limits', { remote: [A, B, C] }, 'start 0'],
    [
      'what is older than the retention',
      { remote: [C, B, A], retentionMs: 5000 },
      'start 200, A retention-time, B retention-time',
    ],
    [
      'not what is exactly as old',
      { remote: [finished('A', 0, 99, { maxTimestampMs: NOW - 5000 })], retentionMs: 5000 },
      'start 0',
    ],
    [
      'not what is old behind what is not',
      { remote: [finished('A', 0, 99), B], retentionMs: 5000 },
      'start 0',
    ],
    [
      'everything with a retention of 0',
      { remote: [A, B, C], retentionMs: 0 },
      'start 300, A retention-time, B retention-time, C retention-time',
    ],
    [
      'nothing with a retention beyond all time',
      { remote: [A], retentionMs: Number.MAX_SAFE_INTEGER },
      'start 0',
    ],
    [
      'by the time of the copy what claims to be from the future',
      {
        remote: [finished('A', 0, 99, { maxTimestampMs: NOW * 2, eventTimestampMs: NOW - 6000 })],
        retentionMs: 5000,
      },
      'start 100, A retention-time',
    ],
    [
      'whole segments above the size',
      { remote: [A, B, C], retentionBytes: 150 },
      'start 200, A retention-size, B retention-size',
    ],
    [
      'not a segment that is needed in part',
      { remote: [A, B, C], retentionBytes: 151 },
      'start 100, A retention-size',
    ],
    [
      'everything remote with a size of 0',
      { remote: [A, B, C], retentionBytes: 0 },
      'start 300, A retention-size, B retention-size, C retention-size',
    ],
    [
      'by time first, which counts towards the size',
      { remote: [A, B, C], retentionMs: 5000, retentionBytes: 150 },
      'start 200, A retention-time, B retention-time',
    ],
    [
      'what is below the log start',
      { remote: [A, B], logStartOffset: 150 },
      'start 150, A log-start',
    ],
  ])('%s', (_name, facts, expected) => {
    expect(plan(facts)).toBe(expected);
  });
});

describe('what does not count', () => {
  it('towards the size, what lies below the log start and is not deleted yet', () => {
    const [a, b, c] = [finished('A', 0, 99), finished('B', 100, 199), finished('C', 200, 299)];
    const facts = { remote: [a, b, c], retentionBytes: 250 };
    expect(plan(facts)).toBe('start 100, A retention-size');
    // The process ended between the move of the log start and the deletion.
    expect(plan({ ...facts, logStartOffset: 100 })).toBe('start 100, A log-start');
    const half = segment('A', 0, 99, { state: 'DELETE_SEGMENT_STARTED', size: 100 });
    const later = { ...facts, remote: [half, b, c], logStartOffset: 200, retentionBytes: 150 };
    expect(plan(later)).toBe('start 200, A deletion-unfinished, B log-start');
    expect(plan({ ...facts, logStartOffset: 99 })).toBe('start 100, A retention-size');
  });

  it('towards the size, what lies below the log start and was never copied', () => {
    const rolled = (baseOffset: number) => ({
      ...active,
      baseOffset,
      nextOffset: baseOffset + 100,
      sizeInBytes: 100,
      active: false,
    });
    const local = [rolled(0), rolled(100), rolled(200), active];
    const facts = { local, highestRemoteOffset: -1, retentionBytes: 250 };
    expect(plan(facts)).toBe('start 100');
    expect(plan({ ...facts, logStartOffset: 100 })).toBe('start 100');
  });

  it('unfinished copies, towards the size (KAFKA-17062)', () => {
    const dangling = segment('D', 200, 299, { size: 1000, brokerId: 2, eventTimestampMs: NOW });
    expect(plan({ remote: [A, B, dangling], retentionBytes: 250 })).toBe('start 0');
  });

  it('a segment of several epochs twice (KAFKA-15479)', () => {
    const lineage = [
      { epoch: 0, startOffset: 0 },
      { epoch: 1, startOffset: 50 },
    ];
    const spanning = finished('A', 0, 99, { epochs: lineage });
    expect(plan({ remote: [spanning], lineage, retentionBytes: 150 })).toBe('start 0');
    expect(plan({ remote: [spanning], lineage, retentionBytes: 50 })).toBe(
      'start 100, A retention-size',
    );
  });

  it('what is local and remote twice (KAFKA-20732)', () => {
    const local = [
      { ...active, baseOffset: 200, nextOffset: 300, sizeInBytes: 100, active: false },
      active,
    ];
    expect(plan({ remote: [A, B, C], local, retentionBytes: 350 })).toBe('start 0');
  });

  it('segments of a history that is not the leader’s', () => {
    const strange = finished('S', 0, 99, {
      epochs: [{ epoch: 3, startOffset: 0 }],
      size: 9999,
      ...old,
    });
    expect(plan({ remote: [strange, C], retentionBytes: 200, retentionMs: 5000 })).toBe('start 0');
  });
});

describe('what is below the log start', () => {
  it('goes also when the lineage still has the epochs before the log start', () => {
    const lineage = [
      { epoch: 0, startOffset: 0 },
      { epoch: 1, startOffset: 100 },
    ];
    const later = finished('B', 100, 199, { epochs: [{ epoch: 1, startOffset: 100 }] });
    expect(plan({ remote: [later], lineage, logStartOffset: 200 })).toBe('start 200, B log-start');
  });
});

describe('overlapping segments of two leaders', () => {
  it('all go, and the log start never moves back (KAFKA-16890, KAFKA-16511)', () => {
    const x = finished('X', 0, 150, old);
    const y = finished('Y', 50, 100, old);
    expect(plan({ remote: [y, x], retentionMs: 5000 })).toBe(
      'start 151, X retention-time, Y retention-time',
    );
    expect(plan({ remote: [y, x], logStartOffset: 151 })).toBe(
      'start 151, X log-start, Y log-start',
    );
  });
});

describe('left-overs', () => {
  it('deletions that did not end go on, whatever the retention', () => {
    const half = segment('H', 100, 199, { state: 'DELETE_SEGMENT_STARTED' });
    expect(plan({ remote: [C, half] })).toBe('start 0, H deletion-unfinished');
  });

  it('own copies that nobody ends go at once, those of others after a time', () => {
    const own = segment('O', 100, 199, { eventTimestampMs: NOW });
    const other = (age: number) =>
      segment('T', 100, 199, { brokerId: 2, eventTimestampMs: NOW - age });
    expect(plan({ remote: [own] })).toBe('start 0, O copy-unfinished');
    expect(plan({ remote: [other(60_000)] })).toBe('start 0');
    expect(plan({ remote: [other(60_001)] })).toBe('start 0, T copy-unfinished');
  });

  it('nothing that is in flight is touched, and what is being copied ends the walk', () => {
    const copying = segment('K', 0, 99);
    const flightOf = (state: 'working' | 'abandoned') => (one: RemoteLogSegmentMetadata) =>
      one === copying ? state : undefined;
    const facts = { remote: [copying, B], retentionMs: 5000, local: [] };
    expect(plan({ ...facts, flightOf: flightOf('working') })).toBe('start 0');
    expect(plan({ ...facts, flightOf: flightOf('abandoned') })).toBe('start 200, B retention-time');
  });

  it('epochs before the first that the leader knows go, and the log start stays', () => {
    const lineage = [{ epoch: 5, startOffset: 100 }];
    const dead = finished('D', 0, 120, { epochs: [{ epoch: 3, startOffset: 0 }] });
    const spanning = finished('P', 90, 120, {
      epochs: [
        { epoch: 4, startOffset: 90 },
        { epoch: 5, startOffset: 100 },
      ],
    });
    expect(plan({ remote: [dead, spanning], lineage, logStartOffset: 100 })).toBe(
      'start 100, D dead-epoch',
    );
  });

  it('nothing goes while the leader knows no epoch', () => {
    expect(plan({ remote: [A, B], lineage: [], retentionMs: 0 })).toBe('start 0');
  });
});

describe('segments that were never copied', () => {
  const rolled = (baseOffset: number, ageMs: number) => ({
    baseOffset,
    nextOffset: baseOffset + 100,
    sizeInBytes: 100,
    maxTimestampMs: NOW - ageMs,
    active: false,
  });
  const local = [rolled(0, 9000), rolled(100, 8000), rolled(200, 1000), active];
  const facts = { local, highestRemoteOffset: -1, retentionMs: 5000 };

  it('expire like others during a long outage of the store (KAFKA-19952)', () => {
    expect(plan(facts)).toBe('start 200');
    expect(plan({ ...facts, retentionMs: -1, retentionBytes: 150 })).toBe('start 200');
  });

  it('stay while something remote in front of them stays', () => {
    const remote = [finished('A', 0, 99)];
    expect(plan({ ...facts, remote, highestRemoteOffset: 99 })).toBe('start 0');
  });

  it('stay above the high watermark, and the active one always', () => {
    expect(plan({ ...facts, highWatermark: 150 })).toBe('start 100');
    expect(plan({ ...facts, nowMs: NOW + 1_000_000 })).toBe('start 300');
  });
});

describe('a plan of very many segments', () => {
  const count = 30_000;
  const many = Array.from({ length: count }, (_, at) =>
    finished(String(at).padStart(16, '0'), at * 10, at * 10 + 9, { size: 10 }),
  );
  const facts = {
    logEndOffset: count * 10 + 10,
    highWatermark: count * 10 + 10,
    highestRemoteOffset: count * 10 - 1,
    retentionBytes: 50,
  };

  it('lets others have their turn, each thousand segments, also where it has to sort', () => {
    const shuffled = many
      .map((_, at) => many[(at * 7919) % count])
      .filter((one) => one !== undefined);
    const inOrder = decide({ ...facts, remote: many });
    const sorted = decide({ ...facts, remote: shuffled });
    expect(inOrder.turns).toBeGreaterThanOrEqual(Math.floor((2 * count) / 1100));
    expect(sorted.turns).toBeGreaterThan(inOrder.turns);
    expect(sorted.result).toEqual(inOrder.result);
    // All but the last 50 bytes.
    expect(inOrder.result.deletions).toHaveLength(count - 5);
    expect(inOrder.result.logStartOffset).toBe((count - 5) * 10);
  });
});
