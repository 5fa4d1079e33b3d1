import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  assertObjectKey,
  clipByteRange,
  collectBytes,
  compareKeys,
  isNotFound,
  isRemoteStorageError,
  memorySource,
  ReleasingStream,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  sourceSlices,
  toRemoteStorageError,
} from '../src/index.ts';

test('every kind has its code, and only what passes is retryable', () => {
  expect(new RemoteStorageError('container-missing', 'x').code).toBe(
    'LOGLOFT_REMOTE_CONTAINER_MISSING',
  );
  const retryable = ['throttled', 'unavailable', 'timeout'] as const;
  const final = ['not-found', 'denied', 'aborted', 'corrupt', 'full', 'precondition'] as const;
  for (const kind of retryable) expect(new RemoteStorageError(kind, 'x').retryable).toBe(true);
  for (const kind of final) expect(new RemoteStorageError(kind, 'x').retryable).toBe(false);
  expect(isNotFound(new RemoteResourceNotFoundError('x'))).toBe(true);
  expect(isRemoteStorageError(new Error('x'))).toBe(false);
});

test.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EROFS', 'denied'],
  ['ENOENT', 'not-found'],
  ['EMFILE', 'throttled'],
  ['EEXIST', 'precondition'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'unavailable'],
])('the system error %s is %s', (code, kind) => {
  const cause = Object.assign(new Error('why'), { code });
  const error = toRemoteStorageError(cause, { action: 'Doing it', key: 'k' });
  expect(error).toMatchObject({ kind, cause, key: 'k', message: 'Doing it "k" failed: why' });
});

test('what is not known is unavailable for good, and our own errors stay as they are', () => {
  for (const thrown of [new TypeError('bug'), 'text', undefined, { code: 'ENOSPC' }]) {
    const error = toRemoteStorageError(thrown, { action: 'Doing it' });
    expect(error).toMatchObject({ kind: 'unavailable', retryable: false, cause: thrown });
  }
  const own = new RemoteStorageError('full', 'x');
  expect(toRemoteStorageError(own, { action: 'Doing it' })).toBe(own);
});

test('a range is cut to what there is, or refused', () => {
  fc.assert(
    fc.property(
      fc.nat(50),
      fc.option(fc.nat(80), { nil: undefined }),
      fc.nat(50),
      (start, end, size) => {
        const bytes = Uint8Array.from({ length: size }, (_, index) => index);
        const expected = end === undefined ? bytes.subarray(start) : bytes.subarray(start, end + 1);
        if (expected.byteLength === 0) {
          expect(() => clipByteRange({ start, end }, size)).toThrow(RemoteStorageError);
        } else {
          const clipped = clipByteRange({ start, end }, size);
          expect(clipped).toEqual({ start, length: expected.byteLength });
        }
      },
    ),
  );
});

test('keys compare as their bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(
        Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    }),
  );
});

test('a key that passes is relative, without empty or climbing parts, whatever it is made of', () => {
  const piece = fc.constantFrom('a', '.', '..', '/', '\\', '\u0000', 'é', '\ud800', '-');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const key = pieces.join('');
      const good =
        key.isWellFormed() &&
        // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for.
        !/[\u0000\\]/.test(key) &&
        key.split('/').every((part) => !['', '.', '..'].includes(part));
      if (good) assertObjectKey(key, 100);
      else expect(() => assertObjectKey(key, 100)).toThrow(RemoteStorageError);
    }),
  );
});

test('more bytes than allowed are refused before they are gathered', async () => {
  const read = memorySource(new Uint8Array(100)).read({ start: 0 });
  await expect(collectBytes(read, 99)).rejects.toMatchObject({ kind: 'corrupt' });
});

test('a source must give exactly what it promised', async () => {
  const lying = (promised: number, given: number): AsyncIterable<Uint8Array> =>
    sourceSlices({ ...memorySource(new Uint8Array(given)), size: promised }, {});
  for (const [promised, given] of [
    [5, 4],
    [4, 3],
    [70_000, 1],
  ] as const) {
    await expect(collectBytes(lying(promised, given), 100_000)).rejects.toMatchObject({
      kind: 'corrupt',
    });
  }
});

test('what a source throws is an error of the contract, and a lost source is never not-found', async () => {
  const throwing = (error: unknown, signal?: AbortSignal): Promise<Uint8Array> => {
    const read = (): AsyncIterable<Uint8Array> => {
      throw error;
    };
    return collectBytes(sourceSlices({ size: 5, read }, { signal }), 5);
  };
  await expect(throwing(new Error('gone'))).rejects.toMatchObject({ kind: 'unavailable' });
  const lost = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  await expect(throwing(lost)).rejects.toMatchObject({ kind: 'corrupt', cause: lost });
  const notFound = new RemoteResourceNotFoundError('of another store');
  await expect(throwing(notFound)).rejects.toMatchObject({ kind: 'corrupt' });
  const reason = new Error('enough');
  await expect(throwing(lost, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('a stream is released once: at its end, by return, by failure, by its signal, and unread', async () => {
  const released: string[] = [];
  const streamOf = (
    name: string,
    values: number[],
    signal?: AbortSignal,
  ): ReleasingStream<number> =>
    new ReleasingStream<number>({
      signal,
      next: async () => {
        const value = values.shift();
        if (value === 13) throw new Error('unlucky');
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      release: () => void released.push(name),
    });
  const drain = async (stream: AsyncIterable<number>, count = 99): Promise<void> => {
    for await (const value of stream) if (value >= count) break;
  };
  await drain(streamOf('end', [1, 2]));
  await drain(streamOf('break', [1, 2]), 1);
  await expect(drain(streamOf('failure', [1, 13]))).rejects.toThrow('unlucky');
  await streamOf('unread', [1]).return();
  const controller = new AbortController();
  const stopped = streamOf('signal', [1, 2, 3], controller.signal);
  await stopped.next();
  controller.abort(new Error('enough'));
  expect(released).toEqual(['end', 'break', 'failure', 'unread', 'signal']);
  await expect(stopped.next()).rejects.toThrow('enough');
  await expect(stopped.next()).resolves.toEqual({ done: true, value: undefined });
  await stopped.return();
  expect(released).toHaveLength(5);
});
