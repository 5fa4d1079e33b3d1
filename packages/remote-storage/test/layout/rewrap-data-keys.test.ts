import { expect, test } from 'vitest';
import {
  collectBytes,
  type LayoutOptions,
  memorySource,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
} from '../../src/index.ts';
import { decodeManifest } from '../../src/layout/decode-manifest.ts';
import { KeyRing } from '../../src/transform/key-ring.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, manualContext, SEGMENT } from '../segment-fixture.ts';
import { KEY_PAIRS } from './fixed-encryptor.ts';

const [ONE, TWO] = KEY_PAIRS;
const PREFIX = { keyPrefix: 'loft/' };
const OLD: LayoutOptions = { ...PREFIX, encryption: { keyPairId: 'k1', keyPairs: [ONE] } };
const ROTATED: LayoutOptions = { ...PREFIX, encryption: { keyPairId: 'k2', keyPairs: KEY_PAIRS } };
const NEW: LayoutOptions = { ...PREFIX, encryption: { keyPairId: 'k2', keyPairs: [TWO] } };

const open = (store: MapObjectStore, options: LayoutOptions): ObjectStoreRemoteStorage =>
  new ObjectStoreRemoteStorage(store, options, manualContext());

function segment(number: number): RemoteLogSegmentMetadata {
  const id = `${number}`.padStart(22, 'A');
  return {
    ...SEGMENT,
    startOffset: number,
    remoteLogSegmentId: { ...SEGMENT.remoteLogSegmentId, id },
  };
}

function manifestKey(store: MapObjectStore, number: number): string {
  const ending = `-${segment(number).remoteLogSegmentId.id}.rsm-manifest`;
  return [...store.objects.keys()].find((key) => key.endsWith(ending)) ?? `none ends in ${ending}`;
}

function keyPairIdIn(store: MapObjectStore, number: number): string | undefined {
  const bytes = store.objects.get(manifestKey(store, number)) ?? new Uint8Array(0);
  return KeyRing.keyPairIdOf(decodeManifest(bytes).encryption?.dataKey ?? '');
}

async function readLog(manager: ObjectStoreRemoteStorage, number: number): Promise<Uint8Array> {
  const pieces = await manager.fetchLogSegment(segment(number), { start: 0 });
  return await collectBytes(pieces, LOG.byteLength);
}

async function threeSegments(): Promise<MapObjectStore> {
  const store = new MapObjectStore();
  await open(store, OLD).copyLogSegmentData(segment(1), DATA);
  await open(store, ROTATED).copyLogSegmentData(segment(2), DATA);
  await open(store, PREFIX).copyLogSegmentData(segment(3), DATA);
  return store;
}

test('after the data keys are wrapped anew the old pair can go, and only manifests were written', async () => {
  const store = await threeSegments();
  const manager = open(store, ROTATED);
  expect(await readLog(manager, 1)).toEqual(LOG);
  const before = new Map(store.objects);
  const report = await manager.rewrapDataKeys();
  expect(report).toEqual({ rewrapped: 1, unchanged: 1, unencrypted: 1, failed: 0, failures: [] });
  const changed = [...store.objects].filter(([key, bytes]) => before.get(key) !== bytes);
  expect(changed.map(([key]) => key)).toEqual([manifestKey(store, 1)]);
  for (const reader of [manager, open(store, NEW)]) {
    for (const number of [1, 2, 3]) expect(await readLog(reader, number)).toEqual(LOG);
  }
  expect(await manager.rewrapDataKeys()).toMatchObject({ rewrapped: 0, unchanged: 2 });
});

test('everything else in a manifest stays to the letter, also numbers beyond 2^53', async () => {
  const store = await threeSegments();
  const key = manifestKey(store, 1);
  const text = Buffer.from(store.objects.get(key) ?? [])
    .toString()
    .replace('"endOffset":2000', '"endOffset":9223372036854775807');
  store.objects.set(key, Buffer.from(text));
  await open(store, ROTATED).rewrapDataKeys();
  const rewritten = Buffer.from(store.objects.get(key) ?? []).toString();
  const withoutKey = (json: string): string => json.replace(/"dataKey":"[^"]*"/, '');
  expect(withoutKey(rewritten)).toBe(withoutKey(text));
  expect(rewritten).toContain('"dataKey":"k2:');
});

test('with `from`, only data keys under that pair are wrapped anew', async () => {
  const store = await threeSegments();
  const back: LayoutOptions = { ...PREFIX, encryption: { keyPairId: 'k1', keyPairs: KEY_PAIRS } };
  const manager = open(store, back);
  expect(await manager.rewrapDataKeys({ from: 'k3' })).toMatchObject({
    rewrapped: 0,
    unchanged: 2,
  });
  expect(await manager.rewrapDataKeys({ from: 'k2' })).toMatchObject({
    rewrapped: 1,
    unchanged: 1,
  });
  expect(keyPairIdIn(store, 2)).toBe('k1');
});

test('a manifest that cannot be rewritten is reported and left alone, and the others go on', async () => {
  const store = await threeSegments();
  await open(store, OLD).copyLogSegmentData(segment(4), DATA);
  store.objects.set(manifestKey(store, 1), Buffer.from('{}'));
  const report = await open(store, ROTATED).rewrapDataKeys();
  expect(report).toMatchObject({ rewrapped: 1, failed: 1 });
  expect(report.failures).toEqual([
    { key: manifestKey(store, 1), error: expect.objectContaining({ kind: 'corrupt' }) },
  ]);
  expect(keyPairIdIn(store, 4)).toBe('k2');
});

test('without the private key of the old pair, each of its segments is reported', async () => {
  const store = await threeSegments();
  const report = await open(store, NEW).rewrapDataKeys();
  expect(report).toMatchObject({ rewrapped: 0, unchanged: 1, failed: 1 });
  expect(report.failures[0]?.error).toMatchObject({ kind: 'invalid-configuration' });
});

test('without an active pair there is nothing to wrap with', async () => {
  const reading = { keyPairs: KEY_PAIRS, enabled: false };
  const manager = open(new MapObjectStore(), { encryption: reading });
  await expect(manager.rewrapDataKeys()).rejects.toMatchObject({ kind: 'invalid-configuration' });
});

test('a segment that is deleted while its data key is wrapped anew stays deleted', async () => {
  const store = await threeSegments();
  const manager = open(store, ROTATED);
  const key = manifestKey(store, 1);
  let deleting: Promise<void> | undefined;
  store.intervene = (operation, on) => {
    if (operation !== 'put' || on !== key) return;
    deleting ??= manager.deleteLogSegmentData(segment(1));
  };
  await manager.rewrapDataKeys();
  await deleting;
  expect(
    [...store.objects.keys()].some((found) => found.includes(segment(1).remoteLogSegmentId.id)),
  ).toBe(false);
});

test('a segment that another process deletes meanwhile does not come back, and is no failure', async () => {
  const store = await threeSegments();
  const key = manifestKey(store, 1);
  store.intervene = (operation, on) => {
    if (operation !== 'head' || on !== key.replace('.rsm-manifest', '.log')) return;
    for (const found of [...store.objects.keys()]) {
      if (found.includes(segment(1).remoteLogSegmentId.id)) store.objects.delete(found);
    }
  };
  const report = await open(store, ROTATED).rewrapDataKeys();
  expect(report).toMatchObject({ rewrapped: 0, failed: 0 });
  expect(store.objects.has(key)).toBe(false);
});

test('it ends with its signal', async () => {
  const store = await threeSegments();
  const controller = new AbortController();
  const reason = new Error('enough');
  store.intervene = (operation) => {
    if (operation === 'get') controller.abort(reason);
  };
  const { signal } = controller;
  await expect(open(store, ROTATED).rewrapDataKeys({ signal })).rejects.toBe(reason);
});

test('foreign objects and orphans are passed over', async () => {
  const store = await threeSegments();
  store.objects.set('loft/readme', Uint8Array.of(1));
  store.objects.delete(manifestKey(store, 3));
  await store.put('other/x', memorySource(Uint8Array.of(1)));
  const report = await open(store, ROTATED).rewrapDataKeys();
  expect(report).toEqual({ rewrapped: 1, unchanged: 1, unencrypted: 0, failed: 0, failures: [] });
});
