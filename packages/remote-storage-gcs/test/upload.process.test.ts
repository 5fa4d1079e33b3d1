import { memorySource, type SegmentSource } from '@logloft/remote-storage';
import { failingSource, gatedSource, lyingSource } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { BUCKET, bytesOf, openStub, PART_BYTES, storedBytes } from './support/open-store.ts';

const KEY = 'topic/segment.log';

describe('writing', () => {
  test('an object of at most a part is one request', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    for (const size of [0, 1, PART_BYTES - 1, PART_BYTES]) {
      stub.requests.reset();
      await store.put(KEY, memorySource(bytesOf(size, size)));
      expect(stub.requests.counts()).toEqual(new Map([['objects.insert', 1]]));
      expect(storedBytes(stub, KEY)?.equals(bytesOf(size, size))).toBe(true);
    }
  });

  test('a large object is a session and a request for each part', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    for (const [size, parts] of [
      [PART_BYTES + 1, 2],
      [3 * PART_BYTES, 3],
      [3 * PART_BYTES + 5, 4],
    ] as const) {
      stub.requests.reset();
      await store.put(KEY, memorySource(bytesOf(size, size)));
      const expected = new Map([
        ['uploads.open', 1],
        ['uploads.put', parts],
      ]);
      expect(stub.requests.counts()).toEqual(expected);
      expect(storedBytes(stub, KEY)?.equals(bytesOf(size, size))).toBe(true);
      expect(stub.pendingUploads(BUCKET)).toEqual([]);
    }
  });

  test('a source whose size is a bound is stored with the bytes that it gives', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    for (const size of [0, 10, PART_BYTES, 2 * PART_BYTES + 7]) {
      const bytes = bytesOf(size, size);
      await store.put(KEY, boundSource(bytes, 100 * PART_BYTES));
      expect(storedBytes(stub, KEY)?.equals(bytes)).toBe(true);
    }
    const tooMany = boundSource(bytesOf(1, 3 * PART_BYTES), 2 * PART_BYTES);
    await expect(store.put('other', tooMany)).rejects.toMatchObject({ kind: 'corrupt' });
    expect(storedBytes(stub, 'other')).toBeUndefined();
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('a source that fails, or gives fewer or more bytes, leaves neither an object nor an upload', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const bytes = bytesOf(1, 4 * PART_BYTES);
    const sources = [
      failingSource(bytes, new Error('the source broke')),
      lyingSource(bytes, bytes.byteLength + 1),
      lyingSource(bytes, bytes.byteLength - 1),
      lyingSource(bytes, bytes.byteLength - PART_BYTES),
    ];
    for (const source of sources) {
      await expect(store.put(KEY, source)).rejects.toHaveProperty('kind');
      expect(stub.objects(BUCKET)).toEqual([]);
      expect(stub.pendingUploads(BUCKET)).toEqual([]);
    }
  });

  test('a source of an impossible size is not even asked for', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const source = memorySource(new Uint8Array(1));
    for (const [size, kind] of [
      [Number.NaN, 'corrupt'],
      [-1, 'corrupt'],
      [5 * 1024 ** 4 + 1, 'invalid-configuration'],
    ] as const) {
      const writing = store.put(KEY, { size, read: source.read });
      await expect(writing).rejects.toMatchObject({ kind, key: KEY });
    }
    expect(stub.requests.length).toBe(0);
  });

  // S70: a request that waits for a slow source is cut by the store after minutes.
  test('a part is read completely before its request starts', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const bytes = bytesOf(3, 3 * PART_BYTES);
    const { source, reached, open } = gatedSource(bytes);
    const writing = store.put(KEY, source);
    await reached;
    await stub.idle();
    // Half of three parts: one is whole, the other waits for its second half.
    expect(stub.requests.all.every(({ outcome }) => outcome === 'answered')).toBe(true);
    expect(stub.requests.count('uploads.put')).toBeLessThanOrEqual(1);
    open();
    await writing;
    expect(stub.requests.of('uploads.put').every(({ bytesIn }) => bytesIn === PART_BYTES)).toBe(
      true,
    );
  });

  test('many uploads share the memory of two parts and wait for each other', async () => {
    await using opened = await openStub({ uploadMemoryBytes: 2 * PART_BYTES });
    const { stub, store } = opened;
    const keys = Array.from({ length: 10 }, (_, index) => `segment-${index}`);
    await Promise.all(
      keys.map((key, index) =>
        store.put(key, memorySource(bytesOf(index, 3 * PART_BYTES + index))),
      ),
    );
    keys.forEach((key, index) => {
      const expected = bytesOf(index, 3 * PART_BYTES + index);
      expect(storedBytes(stub, key)?.equals(expected)).toBe(true);
    });
  });

  test('a slow pacer gets parts of a second at most, in steps that the store allows', async () => {
    await using opened = await openStub({ partBytes: 16 * PART_BYTES });
    const { stub, store } = opened;
    const taken: number[] = [];
    // 600,000 bytes a second: two steps of 256 KiB.
    const pacer = { sliceBytes: 3_000, take: async (bytes: number) => void taken.push(bytes) };
    const bytes = bytesOf(1, 5 * PART_BYTES);
    await store.put(KEY, memorySource(bytes), { pacer });
    expect(taken).toEqual([2 * PART_BYTES, 2 * PART_BYTES, PART_BYTES]);
    expect(storedBytes(stub, KEY)?.equals(bytes)).toBe(true);
  });

  test('what the store tells of the object is compared with what was sent', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const wrong = { size: '4', crc32c: 'AAAAAA==', generation: '17' };
    stub.failures.add({
      operation: 'objects.insert',
      action: { kind: 'answer', status: 200, body: JSON.stringify(wrong) },
    });
    await expect(store.put(KEY, memorySource(bytesOf(1, 4)))).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('AAAAAA=='),
    });
    // Only that generation is taken away, not what somebody else may have written since.
    const deletes = stub.requests.of('objects.delete').map(({ path }) => path);
    expect(deletes).toHaveLength(2);
    for (const path of deletes) expect(path).toContain('ifGenerationMatch=17');
  });

  test('the checksum of a large object goes with its last part', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const sent: (string | undefined)[] = [];
    stub.failures.add({
      operation: 'uploads.put',
      match: ({ headers }) => {
        sent.push(headers.get('x-goog-hash'));
        return false;
      },
      action: { kind: 'hang' },
    });
    await store.put(KEY, memorySource(bytesOf(1, 2 * PART_BYTES + 1)));
    const [object] = stub.objects(BUCKET);
    expect(sent).toEqual([undefined, undefined, `crc32c=${object?.crc32c}`]);
  });

  test('checksums are declared, so that the store refuses what was altered on the way', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const refusal = 'Provided CRC32C "AAAAAA==" doesn\'t match calculated CRC32C "BBBBBB==".';
    const action = { kind: 'answer', status: 400, code: 'invalid', message: refusal } as const;
    for (const [operation, size] of [
      ['objects.insert', 4],
      ['uploads.put', 2 * PART_BYTES],
    ] as const) {
      // Once may be the network's fault.
      stub.failures.add({ operation, times: 1, action });
      await store.put(KEY, memorySource(bytesOf(1, size)));
      expect(storedBytes(stub, KEY)?.equals(bytesOf(1, size))).toBe(true);
      const refused = stub.failures.add({ operation, action });
      await expect(store.put(KEY, memorySource(bytesOf(2, size)))).rejects.toMatchObject({
        kind: 'corrupt',
        retryable: false,
      });
      expect(refused.fired).toBe(2);
      expect(storedBytes(stub, KEY)?.equals(bytesOf(1, size))).toBe(true);
      expect(stub.pendingUploads(BUCKET)).toEqual([]);
    }
  });
});

function boundSource(bytes: Uint8Array, size: number): SegmentSource {
  const inner = memorySource(bytes);
  return {
    size,
    sizeIsBound: true,
    read: (range, options) => inner.read({ start: range.start }, options),
  };
}
