import { getEventListeners } from 'node:events';
import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  type ByteRange,
  collectBytes,
  type OpenedBody,
  RemoteStorageError,
  type ResumedBodyOptions,
  resumedBody,
} from '../../src/index.ts';
import { forEver } from '../map-object-store.ts';

const OBJECT = seededRandom(7).fill(new Uint8Array(300_000));
const unavailable = new RemoteStorageError('unavailable', 'cut');

/** What one answer does, after it has given so many bytes. */
interface Answer {
  readonly bytes?: number;
  readonly ends?: 'cut' | 'end' | 'hang' | 'deaf';
  readonly pieceBytes?: number;
  readonly version?: string | undefined;
  readonly length?: number;
  readonly fail?: RemoteStorageError;
  readonly extra?: boolean;
}

/** A store that answers as it is told, at last completely. */
function store(answers: readonly Answer[], object: Uint8Array = OBJECT) {
  const asked: (ByteRange & { readonly version: string | undefined })[] = [];
  let open = 0;
  const opened = async (
    range: ByteRange | undefined,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<OpenedBody> => {
    const answer = answers[asked.length] ?? {};
    const { start = 0, end = object.byteLength - 1 } = range ?? {};
    asked.push({ start, end, version });
    if (answer.fail !== undefined) throw answer.fail;
    const whole = object.subarray(start, end + 1);
    open += 1;
    const pieces = give(whole, answer, signal);
    return {
      length: answer.length ?? whole.byteLength,
      version: 'version' in answer ? answer.version : 'v1',
      pieces: {
        [Symbol.asyncIterator]: () => ({
          next: () => pieces.next(),
          return: async () => {
            open -= 1;
            return await pieces.return();
          },
        }),
      },
    };
  };
  return {
    asked,
    opened,
    get open(): number {
      return open;
    },
  };
}

async function* give(
  bytes: Uint8Array,
  answer: Answer,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { bytes: given = bytes.byteLength, ends = 'end', pieceBytes = 16_384 } = answer;
  const until = Math.min(given, bytes.byteLength);
  for (let at = 0; at < until; at += pieceBytes) {
    yield bytes.subarray(at, Math.min(at + pieceBytes, until));
  }
  if (answer.extra) yield Uint8Array.of(1);
  if (ends === 'cut') throw unavailable;
  if (ends === 'deaf') await forEver();
  if (ends === 'hang') {
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

function read(
  answers: readonly Answer[],
  options: Partial<ResumedBodyOptions> & { readonly object?: Uint8Array } = {},
) {
  const { object, ...rest } = options;
  const clock = new ManualClock();
  const stored = store(answers, object);
  const body = resumedBody({
    key: 'k',
    retry: { clock, random: seededRandom(1) },
    open: stored.opened,
    ...rest,
  });
  body.catch(() => undefined);
  return { clock, stored, body };
}

async function all(
  { clock, body }: ReturnType<typeof read>,
  ms = 100_000,
): Promise<Uint8Array | Error> {
  const whole = body
    .then((pieces) => collectBytes(pieces, OBJECT.byteLength))
    .catch((error: Error) => error);
  await clock.advanceAsync(ms);
  return await whole;
}

test('one answer that is whole is passed on, and nothing stays', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const reading = read([], { range: { start: 10, end: 99_999 }, signal });
  expect(await all(reading)).toEqual(OBJECT.subarray(10, 100_000));
  expect(reading.stored.asked).toEqual([{ start: 10, end: 99_999, version: undefined }]);
  expect(reading.clock.pendingTimers).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('an object of no bytes is no bytes', async () => {
  expect(await all(read([], { object: new Uint8Array(0) }))).toHaveLength(0);
});

test.each(['cut', 'end', 'hang', 'deaf'] as const)(
  'an answer of which a part comes (%s) goes on from the next byte, of the same version',
  async (ends) => {
    const reading = read([{ bytes: 100_000, ends }], { range: { start: 5, end: 250_000 } });
    expect(await all(reading)).toEqual(OBJECT.subarray(5, 250_001));
    expect(reading.stored.asked).toEqual([
      { start: 5, end: 250_000, version: undefined },
      { start: 100_005, end: 250_000, version: 'v1' },
    ]);
    expect(reading.clock.pendingTimers).toBe(0);
  },
);

test('what asking again fails with is tried again as the policy says', async () => {
  const reading = read([
    { bytes: 70_000, ends: 'cut' },
    { fail: unavailable },
    { fail: unavailable },
  ]);
  expect(await all(reading)).toEqual(OBJECT);
  expect(reading.stored.asked.map(({ start }) => start)).toEqual([0, 70_000, 70_000, 70_000]);
  const denied = new RemoteStorageError('denied', 'expired');
  expect(await all(read([{ bytes: 70_000, ends: 'cut' }, { fail: denied }]))).toBe(denied);
});

test('three answers in a row that bring nothing are enough, however much came before', async () => {
  const nothing = { bytes: 0, ends: 'cut' } as const;
  const some = { bytes: 70_000, ends: 'cut' } as const;
  expect(await all(read([nothing, nothing, some, nothing, nothing]))).toEqual(OBJECT);
  expect(await all(read([nothing, nothing, nothing]))).toBe(unavailable);
  expect(await all(read([some, nothing, nothing, nothing]))).toBe(unavailable);
});

test('a connection that is cut after every few bytes is no storm of requests', async () => {
  const reading = read(Array.from({ length: 3_000 }, () => ({ bytes: 100, ends: 'cut' as const })));
  const whole = collectBytes(await reading.body, OBJECT.byteLength);
  await reading.clock.advanceAsync(1_000);
  // A pause is 25 ms on the average.
  expect(reading.stored.asked.length).toBeGreaterThan(10);
  expect(reading.stored.asked.length).toBeLessThan(80);
  await reading.clock.advanceAsync(200_000);
  await expect(whole).resolves.toEqual(OBJECT);
});

test.each([
  ['another version by its name', { version: 'v2' }],
  ['a refusal of the version', { fail: new RemoteStorageError('precondition', 'changed') }],
  ['an object that has become shorter', { fail: new RemoteStorageError('bad-range', 'beyond') }],
  ['another length', { length: 7 }],
] as const)('going on finds %s: corrupt, never a mixture', async (_, answer) => {
  const reading = read([{ bytes: 70_000, ends: 'cut' }, answer]);
  expect(await all(reading)).toMatchObject({ kind: 'corrupt', key: 'k' });
  expect(reading.clock.pendingTimers).toBe(0);
});

test('more bytes than promised, or promises beyond the range, are corrupt', async () => {
  expect(await all(read([{ extra: true }]))).toMatchObject({ kind: 'corrupt' });
  const range = { start: 0, end: 9 };
  for (const length of [11, -1, Number.NaN]) {
    expect(await all(read([{ length }], { range }))).toMatchObject({ kind: 'corrupt' });
  }
});

test('a failure after the last byte is no failure', async () => {
  const reading = read([{ ends: 'cut' }]);
  expect(await all(reading)).toEqual(OBJECT);
  expect(reading.stored.asked).toHaveLength(1);
});

test('the first answer fails before the first piece', async () => {
  const gone = new RemoteStorageError('not-found', 'gone');
  await expect(read([{ fail: gone }]).body).rejects.toBe(gone);
  const silent = resumedBody({
    key: 'k',
    idleMs: 1_000,
    retry: { clock: new ManualClock(), random: seededRandom(1) },
    open: forEver,
    signal: AbortSignal.abort(gone),
  });
  await expect(silent).rejects.toBe(gone);
  const clock = new ManualClock();
  const hung = resumedBody({
    key: 'k',
    idleMs: 1_000,
    retry: { clock, random: seededRandom(1) },
    open: forEver,
  });
  hung.catch(() => undefined);
  await clock.advanceAsync(1_000);
  await expect(hung).rejects.toMatchObject({ kind: 'timeout' });
  expect(clock.pendingTimers).toBe(0);
});

test.each(['hang', 'deaf'] as const)(
  'an abort ends a read whose answer does not come (%s), at once',
  async (ends) => {
    const controller = new AbortController();
    const { signal } = controller;
    const reading = read([{ bytes: 20_000, ends }], { signal });
    const stream = (await reading.body)[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    const waiting = stream.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(stream.next()).resolves.toMatchObject({ done: true });
    expect(reading.stored.open).toBe(0);
    expect(reading.clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  },
);

test('a reader that leaves ends the answer, before, during and after it waits for a piece', async () => {
  for (const stage of ['before', 'between', 'while waiting', 'while asking again']) {
    const ends = stage === 'while waiting' ? 'deaf' : 'cut';
    const reading = read([{ bytes: 10, ends }]);
    const stream = (await reading.body)[Symbol.asyncIterator]();
    if (stage !== 'before') await stream.next();
    const waiting = stage.startsWith('while') ? stream.next() : undefined;
    await reading.clock.advanceAsync(0);
    await stream.return?.();
    if (waiting !== undefined) await expect(waiting).resolves.toMatchObject({ done: true });
    await reading.clock.advanceAsync(0);
    expect(reading.stored.open, stage).toBe(0);
    expect(reading.clock.pendingTimers, stage).toBe(0);
  }
});

test('what the reader does meanwhile does not count as silence', async () => {
  const reading = read([], { idleMs: 1_000 });
  const kept: Uint8Array[] = [];
  for await (const piece of await reading.body) {
    kept.push(Uint8Array.from(piece));
    await reading.clock.advanceAsync(5_000);
  }
  expect(Buffer.concat(kept).equals(OBJECT)).toBe(true);
  expect(reading.stored.asked).toHaveLength(1);
});

test('the pacer admits every byte before it is given, and progress is what was used', async () => {
  let admitted = 0;
  let progress = 0;
  let given = 0;
  const reading = read([{ bytes: 100_000, ends: 'cut' }], {
    pacer: {
      sliceBytes: 1_000,
      take: async (bytes) => {
        expect(bytes).toBeLessThanOrEqual(1_000);
        admitted += bytes;
      },
    },
    onProgress: (bytes) => {
      progress += bytes;
    },
  });
  for await (const piece of await reading.body) {
    given += piece.byteLength;
    expect(given).toBeLessThanOrEqual(admitted);
    expect(progress).toBe(given - piece.byteLength);
  }
  expect([admitted, progress, given]).toEqual(Array(3).fill(OBJECT.byteLength));
});

test('whatever a connection does, the bytes are right or the failure is typed (200 seeds)', async () => {
  let whole = 0;
  for (let seed = 0; seed < 200; seed += 1) {
    const random = seededRandom(seed);
    const answers = Array.from({ length: 40 }, (): Answer => {
      const kind = randomBelow(random, 8);
      if (kind === 0) return { fail: new RemoteStorageError('throttled', 'slow down') };
      if (kind === 1) return { bytes: 0, ends: 'cut' };
      const ends = (['cut', 'end', 'hang', 'deaf'] as const)[randomBelow(random, 4)] ?? 'cut';
      return {
        bytes: randomBelow(random, 200_000),
        ends,
        pieceBytes: 1 + randomBelow(random, 70_000),
      };
    });
    const start = randomBelow(random, OBJECT.byteLength);
    const end = start + randomBelow(random, OBJECT.byteLength - start);
    const [first, ...later] = answers;
    const fine = first?.fail === undefined ? first : { bytes: 1, ends: 'cut' as const };
    const reading = read([fine ?? {}, ...later], { range: { start, end } });
    const outcome = await all(reading, 2_000_000);
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ retryable: true });
    } else {
      whole += 1;
      expect(Buffer.from(OBJECT.subarray(start, end + 1)).equals(outcome), `seed ${seed}`).toBe(
        true,
      );
    }
    expect(reading.clock.pendingTimers, `seed ${seed}`).toBe(0);
  }
  expect(whole).toBeGreaterThan(150);
});
