import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { readUploadRange } from '../../src/gcs/content-range.ts';
import { GcsError } from '../../src/gcs/gcs-error.ts';
import { NO_SETTINGS } from '../../src/gcs/object-settings.ts';
import { readPreconditions } from '../../src/gcs/preconditions.ts';
import type { UploadSession } from '../../src/gcs/upload-session.ts';
import { UploadSessions } from '../../src/gcs/upload-sessions.ts';
import { MemoryBudget } from '../../src/storage/memory-budget.ts';
import { StoredBytes } from '../../src/storage/stored-bytes.ts';

const GRAIN = 256 * 1024;

function sessionsOf(clock = new ManualClock(), budget = new MemoryBudget(2 ** 30)): UploadSessions {
  return new UploadSessions({ clock, budget, random: seededRandom(1) });
}

function open(sessions = sessionsOf(), size?: number): UploadSession {
  return sessions.open({
    bucket: 'loft',
    name: 'k',
    settings: NO_SETTINGS,
    checksums: { crc32c: undefined, md5Hash: undefined },
    preconditions: readPreconditions(new Map()),
    size,
  });
}

function put(session: UploadSession, header: string, bytes: Uint8Array, whole = true): boolean {
  const stored = new StoredBytes([Buffer.from(bytes)]);
  return session.append({ range: readUploadRange(header), bytes: stored, whole });
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof GcsError) return `${error.status} ${error.reason}`;
    throw error;
  }
  return 'taken';
}

/** Sends a piece that starts at what is kept or before it, and breaks now and then; says whether it was the last. */
function sendSome(session: UploadSession, data: Buffer, random: RandomSource): boolean {
  const before = session.receivedBytes;
  const start = Math.max(0, before - randomBelow(random, 2) * GRAIN);
  const end = Math.min(data.length, start + (1 + randomBelow(random, 3)) * GRAIN);
  const range = `bytes ${start}-${end - 1}/${end === data.length ? end : '*'}`;
  if (randomBelow(random, 3) > 0) return put(session, range, data.subarray(start, end));
  const broken = start + randomBelow(random, end - start + 1);
  const complete = put(session, range, data.subarray(start, broken), false);
  expect(session.receivedBytes).toBe(Math.max(before, Math.floor(broken / GRAIN) * GRAIN));
  return complete;
}

describe('a resumable upload', () => {
  test('keeps every byte once, however often it is cut and resumed', () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const random = seededRandom(seed);
      const data = random.fill(Buffer.alloc(randomBelow(random, 5 * GRAIN)));
      const session = open();
      while (!sendSome(session, data, random));
      expect(session.content().toBuffer().equals(data), `seed ${seed}`).toBe(true);
    }
  });

  test('of one endless request ends with it', () => {
    const session = open();
    expect(put(session, 'bytes 0-*/*', Buffer.alloc(300_000))).toBe(true);
    expect(session.receivedBytes).toBe(300_000);
  });

  test('whose total is known goes on when a request brings less', () => {
    const session = open();
    expect(put(session, `bytes 0-*/${2 * GRAIN}`, Buffer.alloc(GRAIN + 5))).toBe(false);
    expect(session.receivedBytes).toBe(GRAIN);
    expect(put(session, `bytes ${GRAIN}-*/${2 * GRAIN}`, Buffer.alloc(GRAIN))).toBe(true);
  });

  test('is ended by a query for the total that is there, and by no other', () => {
    const session = open();
    put(session, `bytes 0-${GRAIN - 1}/*`, Buffer.alloc(GRAIN));
    expect(put(session, 'bytes */*', Buffer.alloc(0))).toBe(false);
    expect(put(session, `bytes */${GRAIN + 1}`, Buffer.alloc(0))).toBe(false);
    expect(put(session, `bytes */${GRAIN}`, Buffer.alloc(0))).toBe(true);
  });

  test.each([
    ['a gap', 'bytes 1-262144/*', GRAIN, undefined, '503 backendError'],
    ['a piece that is no multiple of 256 KiB', 'bytes 0-99/*', 100, undefined, '400 invalid'],
    ['fewer bytes than announced', `bytes 0-${GRAIN - 1}/*`, 100, undefined, '400 invalid'],
    ['more bytes than announced', 'bytes 0-9/10', 11, undefined, '400 invalid'],
    ['more than the total', 'bytes 0-*/10', 11, undefined, '400 invalid'],
    ['another total than at the start', 'bytes 0-9/10', 10, 11, '400 invalid'],
    ['less than announced at the start', 'bytes 0-*/*', 10, 11, '400 invalid'],
    ['more than announced at the start', 'bytes 0-*/*', 12, 11, '400 invalid'],
  ])('refuses %s and keeps nothing of it', (_, header, length, size, expected) => {
    const session = open(sessionsOf(), size);
    expect(refusal(() => put(session, header, Buffer.alloc(length)))).toBe(expected);
    expect(session.receivedBytes).toBe(0);
  });

  test('refuses an end before what it has', () => {
    const session = open();
    put(session, `bytes 0-${GRAIN - 1}/*`, Buffer.alloc(GRAIN));
    expect(refusal(() => put(session, 'bytes 0-9/10', Buffer.alloc(10)))).toBe('400 invalid');
    expect(session.receivedBytes).toBe(GRAIN);
  });
});

describe('upload sessions', () => {
  test('live for a week, and give their bytes back when they go', () => {
    const clock = new ManualClock();
    const budget = new MemoryBudget(2 ** 20);
    const sessions = sessionsOf(clock, budget);
    const session = open(sessions);
    budget.reserve(GRAIN);
    put(session, `bytes 0-${GRAIN - 1}/*`, Buffer.alloc(GRAIN));
    clock.advance(7 * 86_400_000);
    expect(sessions.find(session.id)).toBe(session);
    clock.advance(1);
    expect(refusal(() => sessions.find(session.id))).toBe('410 notFound');
    expect(budget.usedBytes).toBe(0);
    expect(refusal(() => sessions.find(session.id))).toBe('404 notFound');
  });

  test('answer 499 once given up, 404 once forgotten or never opened', () => {
    const sessions = sessionsOf();
    const given = open(sessions);
    const lost = open(sessions);
    sessions.cancel(given);
    expect(sessions.forget(lost.id)).toBe(true);
    expect(refusal(() => sessions.find(given.id))).toBe('499 uploadCancelled');
    expect(refusal(() => sessions.find(lost.id))).toBe('404 notFound');
    expect(refusal(() => sessions.find('__proto__'))).toBe('404 notFound');
    expect(sessions.forget('never')).toBe(false);
    expect(sessions.pending('loft')).toEqual([]);
  });

  test('are at most 10,000, of which the oldest are forgotten', () => {
    const sessions = sessionsOf();
    const first = open(sessions);
    const second = open(sessions);
    for (let count = 2; count <= 10_000; count += 1) open(sessions);
    expect(refusal(() => sessions.find(first.id))).toBe('404 notFound');
    expect(sessions.find(second.id)).toBe(second);
    expect(sessions.pending('loft')).toHaveLength(10_000);
  });
});
