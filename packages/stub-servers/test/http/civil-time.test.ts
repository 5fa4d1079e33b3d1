import { seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { httpTime, isoTime, parseBasicIsoTime, parseHttpTime } from '../../src/http/civil-time.ts';

const SEED = 20261128;

function randomTimes(): readonly number[] {
  const random = seededRandom(SEED);
  // Years 1600 to 2400, so that leap centuries and times before the epoch are in.
  const from = Date.UTC(1600, 0, 1);
  const span = Date.UTC(2400, 0, 1) - from;
  const times = Array.from(
    { length: 5_000 },
    () => from + Math.floor((random.nextUint32() / 2 ** 32) * span),
  );
  const edges = [0, -1, Date.UTC(2000, 1, 29), Date.UTC(1900, 1, 28, 23, 59, 59, 999)];
  return [...edges, Date.UTC(1900, 2, 1), Date.UTC(2026, 11, 31, 23, 59, 59), ...times];
}

test(`times are written as the language's own calendar writes them (seed ${SEED})`, () => {
  for (const ms of randomTimes()) {
    expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    expect(httpTime(ms)).toBe(new Date(ms).toUTCString());
  }
});

test(`what is written in seconds is read again (seed ${SEED})`, () => {
  for (const ms of randomTimes()) {
    const seconds = Math.floor(ms / 1_000) * 1_000;
    expect(parseHttpTime(httpTime(ms))).toBe(seconds);
    const basic = isoTime(ms).replace(/[-:]|\.\d+/g, '');
    expect(parseBasicIsoTime(basic)).toBe(seconds);
  }
});

test.each([
  '',
  '20261301T000000Z',
  '20261100T000000Z',
  '20261128T240000Z',
  '20261128T0000Z',
  '20261128T000000',
  '2026-11-28T00:00:00Z',
])('%j is no time', (text) => {
  expect(parseBasicIsoTime(text)).toBeUndefined();
});

test.each(['', 'yesterday', 'Sat, 28 Nov 2026 07:06:05', 'Sat, 28 Xyz 2026 07:06:05 GMT'])(
  '%j is no time of HTTP',
  (text) => {
    expect(parseHttpTime(text)).toBeUndefined();
  },
);
