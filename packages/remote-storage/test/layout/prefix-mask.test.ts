import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ObjectStoreRemoteStorage, RemoteStorageError } from '../../src/index.ts';
import { PrefixMask } from '../../src/layout/prefix-mask.ts';
import { forEver, MapObjectStore } from '../map-object-store.ts';
import { DATA, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';

const PREFIX = 'customers/acme corp/';

const mask = (prefix: string, isOn = true): PrefixMask => new PrefixMask({ isOn, prefix });

test.each([
  [PREFIX, `No object "${PREFIX}a/b.log"`, 'No object "<prefix>/a/b.log"'],
  [PREFIX, `GET /bucket/${encodeURI(PREFIX)}a`, 'GET /bucket/<prefix>/a'],
  [PREFIX, `?prefix=${encodeURIComponent(PREFIX)}&x`, '?prefix=<prefix>/&x'],
  [PREFIX, `mkdir '/data/customers/acme corp'`, `mkdir '/data/<prefix>'`],
  [PREFIX, 'customers/acme corporation', 'customers/acme corporation'],
  ['a.b', 'a.btopic xaxb', '<prefix>/topic xaxb'],
  ['not', 'a note, not', 'a <prefix>/e, <prefix>/'],
  ['a/', `an "a/${MAIN_PATH}.log", a/b`, `an "<prefix>/${MAIN_PATH}.log", a/b`],
  ['x', `x ${MAIN_PATH}`, `x ${MAIN_PATH}`],
  ['', `"${MAIN_PATH}.log"`, `"${MAIN_PATH}.log"`],
])('with the prefix %j, %j is shown as %j', (prefix, text, shown) => {
  expect(mask(prefix).text(text)).toBe(shown);
  expect(mask(prefix, false).text(text)).toBe(text);
});

test('an error is masked in place with its stack, its properties and its causes, and only once', () => {
  const cause = Object.assign(new Error(`ENOENT, open '/x/${PREFIX}y'`), { path: `/x/${PREFIX}y` });
  const error = new RemoteStorageError('not-found', `No object ${PREFIX}y`, {
    key: `${PREFIX}y`,
    cause: new AggregateError([cause], `all of ${PREFIX}`),
  });
  const prefixMask = mask(PREFIX);
  expect(prefixMask.error(error)).toBe(error);
  const shown = inspect(error, { depth: 10, showHidden: true });
  expect(shown).not.toContain('acme');
  expect(error.message).toBe('No object <prefix>/y');
  expect(error.key).toBe('<prefix>/y');
  expect(error.kind).toBe('not-found');
  expect(cause.path).toBe('/x/<prefix>/y');
  prefixMask.error(error);
  expect(error.message).toBe('No object <prefix>/y');
});

test('what programs go by is left alone', () => {
  const error = new RemoteStorageError('not-found', 'not found');
  mask('not').error(error);
  expect(error.kind).toBe('not-found');
  expect(error.code).toBe('LOGLOFT_REMOTE_NOT_FOUND');
  expect(mask('not').error('a text')).toBe('a text');
});

test('a stream is the same, with its failures masked, and its end is passed on', async () => {
  let ended = 0;
  async function* values(): AsyncGenerator<number, void, void> {
    try {
      yield 1;
      yield 2;
      throw new Error(`at ${PREFIX}`);
    } finally {
      ended += 1;
    }
  }
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of mask(PREFIX).stream(values())) seen.push(value);
  })();
  await expect(reading).rejects.toThrow('at <prefix>/');
  expect(seen).toEqual([1, 2]);
  for await (const value of mask(PREFIX).stream(values())) if (value === 1) break;
  expect(ended).toBe(2);
});

test.each(['head', 'put', 'get', 'delete', 'list'])(
  'neither errors nor log lines show the prefix, whatever a %s does',
  async (failing) => {
    const store = new MapObjectStore();
    const context = manualContext();
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const options = { keyPrefix: PREFIX, keyPrefixMask: true, requestTimeoutMs: 100 };
    const storage = new ObjectStoreRemoteStorage(store, options, { ...context, logger });
    await storage.copyLogSegmentData(SEGMENT, DATA);
    const outcomes: unknown[] = [];
    for (const failure of [
      (key: string): never => {
        throw new RemoteStorageError('unavailable', `Cannot reach ${key}`, { key });
      },
      (key: string): never => {
        throw new TypeError(`bug at ${key}`);
      },
      (): Promise<never> => forEver(),
    ]) {
      store.intervene = (operation, key) => (operation === failing ? failure(key) : undefined);
      const manager = new ObjectStoreRemoteStorage(store, options, { ...context, logger });
      const calls = [
        () => manager.copyLogSegmentData(SEGMENT, DATA),
        () => manager.fetchIndex(SEGMENT, 'OFFSET'),
        async () => {
          for await (const piece of await manager.fetchLogSegment(SEGMENT, { start: 0 }))
            void piece;
        },
        () => manager.deleteLogSegmentData(SEGMENT),
        async () => {
          for await (const segment of manager.listSegments()) void segment;
        },
      ];
      for (const call of calls) {
        const outcome = call().then(undefined, (error: unknown) => outcomes.push(error));
        await context.clock.advanceAsync(200_000);
        await outcome;
      }
    }
    expect(outcomes.length).toBeGreaterThan(2);
    const shown = inspect([outcomes, lines], { depth: 10, showHidden: true, maxArrayLength: null });
    expect(shown).not.toContain('acme');
    expect(shown).toContain('<prefix>/');
  },
);

test('a prefix under which a segment was copied earlier is masked, too', async () => {
  const store = new MapObjectStore();
  const customMetadataFields = ['OBJECT_PREFIX'] as const;
  const before = new ObjectStoreRemoteStorage(
    store,
    { keyPrefix: PREFIX, customMetadataFields },
    manualContext(),
  );
  const customMetadata = await before.copyLogSegmentData(SEGMENT, DATA);
  store.objects.clear();
  const options = { keyPrefix: 'elsewhere/', keyPrefixMask: true };
  const after = new ObjectStoreRemoteStorage(store, options, manualContext());
  const error = await after
    .fetchIndex({ ...SEGMENT, customMetadata }, 'OFFSET')
    .catch((thrown: unknown) => thrown);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('acme');
  expect(String(error)).toContain(`<prefix>/${MAIN_PATH}.rsm-manifest`);
});
