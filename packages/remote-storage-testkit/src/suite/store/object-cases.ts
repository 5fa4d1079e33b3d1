import assert from 'node:assert/strict';
import { memorySource } from '@logloft/remote-storage';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const KIB = 1024;
const SIZES = [0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 256 * KIB, 1024 * KIB + 3];

const ODD_KEYS = [
  'plain',
  'a/b',
  'a-b',
  'a.b',
  'constructor',
  '__proto__/toString',
  'with space/and %2F+&?#',
  'ünïcode/日本/𝄞',
  'a/very/deep/place/of/an/object',
  '...',
  '.hidden',
  'quotes/it\'s-"so"',
  'signs/!*()~@$,;=:|^`',
  'brackets/[a]{b}<c>&amp;',
  ' spaces / at ends ',
  // A topic's name may have 249 letters; with its id it is longer than a file's name can be.
  `${'t'.repeat(249)}-lZ6vvmajTWKDBUTV6SQAtQ/0/object`,
];

// Each of them is what a store that escapes too much, too little or twice makes of another.
const ESCAPED_KEYS = [
  'e/a b',
  'e/a+b',
  'e/a%20b',
  'e/a%2520b',
  'e/a%2Fb',
  'e/a/b',
  'e/a&b',
  'e/a&amp;b',
];

const UNSAFE_KEYS = [
  '',
  '/absolute',
  'end/',
  'a//b',
  '.',
  '..',
  '../outside',
  'a/../../outside',
  'a/./b',
  'a\\..\\b',
  'nul\u0000byte',
  'line\nfeed',
  'lone\ud800surrogate',
];

function keyOfBytes(bytes: number): string {
  const parts: string[] = [];
  for (let left = bytes; left > 0; left -= 101) parts.push('k'.repeat(Math.min(100, left)));
  const key = parts.join('/').slice(0, bytes);
  return key.endsWith('/') ? `${key.slice(0, -1)}k` : key;
}

/** Objects as a whole. */
export const OBJECT_CASES: ConformanceGroup<StoreSubject> = {
  name: 'objects',
  cases: [
    {
      name: 'an object is read back byte for byte, whatever its size',
      run: async ({ store, seed }) => {
        for (const size of SIZES) {
          const bytes = seededBytes(seed + size, size);
          await putBytes(store, `size/${size}`, bytes);
          sameBytes(await getBytes(store, `size/${size}`), bytes, `an object of ${size} bytes`);
          const head = await store.head(`size/${size}`);
          assert.deepEqual({ ...head }, { key: `size/${size}`, size });
        }
      },
    },
    {
      name: 'an object that exists is replaced whole, by a shorter and by a longer one',
      run: async ({ store, seed }) => {
        for (const size of [100_000, 10, 200_000]) {
          const bytes = seededBytes(seed + size, size);
          await putBytes(store, 'replaced', bytes);
          sameBytes(await getBytes(store, 'replaced'), bytes, `replaced by ${size} bytes`);
        }
        assert.deepEqual(await listKeys(store), ['replaced']);
      },
    },
    {
      name: 'what is not there is not found, before the first piece',
      run: async ({ store }) => {
        await putBytes(store, 'there/object', new Uint8Array(1));
        const like = ['there', 'there/obj', 'there/object2', 'there/object/below'];
        for (const key of ['missing', 'missing/object', ...like]) {
          await rejectsWithKind(store.get(key), 'not-found');
          await rejectsWithKind(store.get(key, { start: 0, end: 1 }), 'not-found');
          await rejectsWithKind(store.head(key), 'not-found');
          await store.delete([key]);
        }
        assert.deepEqual(await listKeys(store), ['there/object']);
      },
    },
    {
      name: 'keys are taken as they are, also odd ones',
      run: async ({ store, seed }) => {
        const bytesOf = (index: number): Uint8Array => seededBytes(seed + index, 100 + index);
        for (const [index, key] of ODD_KEYS.entries()) await putBytes(store, key, bytesOf(index));
        for (const [index, key] of ODD_KEYS.entries()) {
          sameBytes(await getBytes(store, key), bytesOf(index), key);
        }
        assert.deepEqual((await listKeys(store)).toSorted(), ODD_KEYS.toSorted());
      },
    },
    {
      name: 'keys that differ in escapes only are different objects',
      run: async ({ store, seed }) => {
        const bytesOf = (index: number): Uint8Array => seededBytes(seed + index, 50 + index);
        for (const [index, key] of ESCAPED_KEYS.entries()) {
          await putBytes(store, key, bytesOf(index));
        }
        for (const [index, key] of ESCAPED_KEYS.entries()) {
          sameBytes(await getBytes(store, key), bytesOf(index), key);
        }
        assert.deepEqual((await listKeys(store, 'e/a')).toSorted(), ESCAPED_KEYS.toSorted());
        const [first, ...others] = ESCAPED_KEYS;
        await store.delete(others);
        assert.deepEqual(await listKeys(store), [first]);
      },
    },
    {
      name: 'keys that could lead elsewhere are refused by every operation',
      run: async ({ store }) => {
        for (const key of UNSAFE_KEYS) {
          await rejectsWithKind(
            store.put(key, memorySource(new Uint8Array(1))),
            'invalid-configuration',
          );
          await rejectsWithKind(store.get(key), 'invalid-configuration');
          await rejectsWithKind(store.head(key), 'invalid-configuration');
          await rejectsWithKind(store.delete([key]), 'invalid-configuration');
        }
        assert.deepEqual(await listKeys(store), []);
      },
    },
    {
      name: 'the longest key works, and one of a byte more is refused',
      run: async ({ store }) => {
        const { maxKeyBytes } = store.capabilities;
        const longest = keyOfBytes(maxKeyBytes);
        assert.equal(Buffer.byteLength(longest), maxKeyBytes);
        await putBytes(store, longest, new Uint8Array(3));
        assert.equal((await getBytes(store, longest)).byteLength, 3);
        assert.deepEqual(await listKeys(store), [longest]);
        await rejectsWithKind(
          putBytes(store, `${longest}k`, new Uint8Array(3)),
          'invalid-configuration',
        );
      },
    },
  ],
};
