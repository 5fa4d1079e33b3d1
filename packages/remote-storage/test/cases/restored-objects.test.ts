import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { collectBytes, type LayoutOptions, ObjectStoreRemoteStorage } from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';

// An object that was damaged when it was read, and restored: nothing of the damage may stay in a cache.

const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const SEALED: LayoutOptions = {
  chunkBytes: 3_000,
  compressionEnabled: true,
  encryption: { keyPairId: 'k1', keyPairs: [KEY_PAIR] },
  cache: { chunkCache: 'memory' },
};

const DAMAGES: readonly [suffix: string, change: (bytes: Buffer) => Buffer][] = [
  ['log', (bytes) => flipped(bytes, 20)],
  ['indexes', (bytes) => flipped(bytes, 13)],
  ['rsm-manifest', (bytes) => Buffer.from(bytes.toString().replace(/(k1:.{8}).{4}/, '$1AAAA'))],
  ['rsm-manifest', (bytes) => bytes.subarray(0, 100)],
];

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  return bytes;
}

test.each(DAMAGES)('a %s object that is sound again is read again (%#)', async (suffix, change) => {
  const store = new MapObjectStore();
  const manager = new ObjectStoreRemoteStorage(store, SEALED, manualContext());
  await manager.copyLogSegmentData(SEGMENT, DATA);
  const key = `${MAIN_PATH}.${suffix}`;
  const sound = store.objects.get(key) ?? new Uint8Array(0);
  const read = async (): Promise<Uint8Array> => {
    await manager.fetchIndex(SEGMENT, 'OFFSET');
    const pieces = await manager.fetchLogSegment(SEGMENT, { start: 0 });
    return await collectBytes(pieces, LOG.byteLength);
  };
  store.objects.set(key, Uint8Array.from(change(Buffer.from(sound))));
  const code = expect.stringMatching(suffix === 'rsm-manifest' ? /CORRUPT|DENIED/ : /CORRUPT/);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(read()).rejects.toMatchObject({ code });
  }
  store.objects.set(key, sound);
  expect(await read()).toEqual(LOG);
  await manager.close();
});
