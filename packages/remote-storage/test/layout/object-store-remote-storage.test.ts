import { expect, test } from 'vitest';
import {
  collectBytes,
  INDEX_TYPES,
  type LayoutOptions,
  ObjectStoreRemoteStorage,
  RemoteStorageError,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';

const LOG_KEY = `${MAIN_PATH}.log`;
const INDEXES_KEY = `${MAIN_PATH}.indexes`;
const MANIFEST_KEY = `${MAIN_PATH}.rsm-manifest`;

function setUp(
  options: LayoutOptions = {},
  store: MapObjectStore = new MapObjectStore(),
): {
  store: MapObjectStore;
  context: ReturnType<typeof manualContext>;
  manager: ObjectStoreRemoteStorage;
} {
  const context = manualContext();
  return { store, context, manager: new ObjectStoreRemoteStorage(store, options, context) };
}

async function readLog(manager: ObjectStoreRemoteStorage, start = 0): Promise<Uint8Array> {
  return await collectBytes(await manager.fetchLogSegment(SEGMENT, { start }), LOG.byteLength);
}

test('the three objects are written in the order that makes the manifest the last', async () => {
  const { store, manager } = setUp({ chunkBytes: 4096 });
  await manager.copyLogSegmentData(SEGMENT, DATA);
  expect(store.calls).toEqual([
    `head ${MANIFEST_KEY}`,
    `put ${INDEXES_KEY}`,
    `put ${LOG_KEY}`,
    `put ${MANIFEST_KEY}`,
  ]);
  expect(store.objects.get(LOG_KEY)).toEqual(LOG);
  expect([...(store.objects.get(INDEXES_KEY) ?? [])]).toEqual([
    1,
    1,
    2,
    2,
    2,
    3,
    3,
    3,
    3,
    ...DATA.leaderEpochIndex,
    5,
  ]);
  const manifest = JSON.parse(new TextDecoder().decode(store.objects.get(MANIFEST_KEY)));
  expect(manifest.chunkIndex).toEqual({
    type: 'fixed',
    originalChunkSize: 4096,
    originalFileSize: 10_000,
    transformedChunkSize: 4096,
    finalTransformedChunkSize: 1808,
  });
  expect(manifest.segmentIndexes).toEqual({
    offset: { position: 0, size: 2 },
    timestamp: { position: 2, size: 3 },
    producerSnapshot: { position: 5, size: 4 },
    leaderEpoch: { position: 9, size: 11 },
    transaction: { position: 20, size: 1 },
  });
});

test('a deletion takes the manifest first, so that nothing half-deleted is ever seen', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.calls.length = 0;
  await manager.deleteLogSegmentData(SEGMENT);
  expect(store.calls).toEqual([`delete ${MANIFEST_KEY}`, `delete ${LOG_KEY} ${INDEXES_KEY}`]);
  expect(store.objects.size).toBe(0);
});

test.each([LOG_KEY, INDEXES_KEY, MANIFEST_KEY])(
  'a copy that cannot write %s removes what it wrote and throws the first error',
  async (failingKey) => {
    const { store, manager } = setUp();
    const denied = new RemoteStorageError('denied', 'no');
    store.intervene = (operation, key) => {
      if (operation === 'put' && key === failingKey) throw denied;
    };
    await expect(manager.copyLogSegmentData(SEGMENT, DATA)).rejects.toBe(denied);
    expect(store.objects.size).toBe(0);
  },
);

test('a clean-up that fails is logged, and the error of the copy is the one thrown', async () => {
  const { store, manager, context } = setUp();
  const denied = new RemoteStorageError('denied', 'no');
  store.intervene = (operation, key) => {
    if (operation === 'put' && key === INDEXES_KEY) throw denied;
    if (operation === 'delete') throw new RemoteStorageError('denied', 'not that either');
  };
  await expect(manager.copyLogSegmentData(SEGMENT, DATA)).rejects.toBe(denied);
  expect(context.warnings).toContain('Objects of a failed copy could not be removed');
  store.intervene = () => undefined;
  await manager.deleteLogSegmentData(SEGMENT);
  expect(store.objects.size).toBe(0);
});

test('a lost answer and a throttled put are tried again, and the copy succeeds', async () => {
  const { store, manager, context } = setUp();
  let failures = 0;
  store.intervene = (operation, key) => {
    if (operation !== 'put' || key !== LOG_KEY || failures >= 2) return;
    failures += 1;
    throw new RemoteStorageError(failures === 1 ? 'unavailable' : 'throttled', 'later');
  };
  let progress = 0;
  const copying = manager.copyLogSegmentData(SEGMENT, DATA, {
    onProgress: (bytes) => {
      progress += bytes;
    },
  });
  await context.clock.advanceAsync(10_000);
  await copying;
  expect(await readLog(manager)).toEqual(LOG);
  const stored = [...store.objects.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(progress).toBe(stored);
  expect(context.clock.pendingTimers).toBe(0);
});

test('a log whose length is not that of the catalogue is not copied', async () => {
  const { store, manager } = setUp();
  const wrong = { ...SEGMENT, segmentSizeInBytes: 9_999 };
  await expect(manager.copyLogSegmentData(wrong, DATA)).rejects.toMatchObject({ kind: 'corrupt' });
  expect(store.objects.size).toBe(0);
});

test('a segment that does not fit into an object of the store is refused before it is written', async () => {
  const { store, manager } = setUp({}, new MapObjectStore({ maxObjectBytes: 9_999 }));
  expect(manager.capabilities.maxSegmentBytes).toBe(9_999);
  await expect(manager.copyLogSegmentData(SEGMENT, DATA)).rejects.toMatchObject({
    kind: 'invalid-configuration',
  });
  expect(store.calls.filter((call) => call.startsWith('put'))).toEqual([]);
});

test('the manifest and the indexes are read once for all that is fetched of a segment', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.calls.length = 0;
  await Promise.all([...INDEX_TYPES].map((type) => manager.fetchIndex(SEGMENT, type)));
  expect(await readLog(manager)).toEqual(LOG);
  expect(store.calls.filter((call) => call === `get ${MANIFEST_KEY}`)).toHaveLength(1);
  expect(store.calls).toEqual([`get ${MANIFEST_KEY}`, `get ${INDEXES_KEY}`, `get ${LOG_KEY}`]);
});

test('a fetch that gave up leaves the reading of the manifest to the next one', async () => {
  const { store, manager, context } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.calls.length = 0;
  const answer = Promise.withResolvers<void>();
  store.intervene = (operation, key) =>
    operation === 'get' && key === MANIFEST_KEY ? answer.promise : undefined;
  const controller = new AbortController();
  const reason = new Error('500 ms are over');
  const { signal } = controller;
  const first = manager.fetchIndex(SEGMENT, 'OFFSET', { signal });
  first.catch(() => undefined);
  await context.clock.advanceAsync(500);
  controller.abort(reason);
  await expect(first).rejects.toBe(reason);
  answer.resolve();
  await context.clock.advanceAsync(300);
  expect(await manager.fetchIndex(SEGMENT, 'OFFSET')).toEqual(Uint8Array.of(1, 1));
  expect(store.calls.filter((call) => call === `get ${MANIFEST_KEY}`)).toHaveLength(1);
});

test('a missing object is damage while the manifest is there, and not found once it is not', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  await manager.fetchIndex(SEGMENT, 'OFFSET');
  store.objects.delete(LOG_KEY);
  await expect(readLog(manager)).rejects.toMatchObject({ kind: 'corrupt', key: LOG_KEY });
  store.objects.delete(MANIFEST_KEY);
  await expect(readLog(manager)).rejects.toMatchObject({ kind: 'not-found' });
});

test('an object that is shorter than its manifest says is damage', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.objects.set(LOG_KEY, LOG.subarray(0, 5_000));
  await expect(readLog(manager)).rejects.toMatchObject({ kind: 'corrupt' });
  await expect(readLog(manager, 6_000)).rejects.toMatchObject({ kind: 'corrupt' });
  store.objects.set(INDEXES_KEY, Uint8Array.of(1));
  await expect(manager.fetchIndex(SEGMENT, 'OFFSET')).rejects.toMatchObject({ kind: 'corrupt' });
});

test('a store that gives more than was asked for is not believed', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.onPieces = async function* (pieces) {
    yield* pieces;
    yield Uint8Array.of(0);
  };
  await expect(manager.fetchIndex(SEGMENT, 'OFFSET')).rejects.toMatchObject({ kind: 'corrupt' });
});

test('a transfer that is cut goes on from the next byte, and the reader sees one clean stream', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  await manager.fetchIndex(SEGMENT, 'OFFSET');
  store.calls.length = 0;
  store.onPieces = async function* (pieces) {
    for await (const piece of pieces) {
      yield piece.subarray(0, 3_000);
      if (piece.byteLength > 3_000) throw new RemoteStorageError('unavailable', 'reset');
    }
  };
  expect(await readLog(manager)).toEqual(LOG);
  expect(store.calls).toHaveLength(4);
});

test('a transfer that is cut again and again without a byte is given up', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  await manager.fetchIndex(SEGMENT, 'OFFSET');
  // biome-ignore lint/correctness/useYield: it breaks off before the first piece, that is its point.
  store.onPieces = async function* () {
    throw new RemoteStorageError('unavailable', 'reset');
  };
  await expect(readLog(manager)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('segments stay readable and deletable after the prefix was changed', async () => {
  const store = new MapObjectStore();
  const fields = ['OBJECT_PREFIX', 'OBJECT_KEY', 'REMOTE_SIZE'] as const;
  const before = setUp({ keyPrefix: 'a/', customMetadataFields: fields }, store).manager;
  const customMetadata = await before.copyLogSegmentData(SEGMENT, DATA);
  expect(customMetadata?.byteLength).toBeLessThanOrEqual(128);
  const after = setUp({ keyPrefix: 'b/', customMetadataFields: fields }, store).manager;
  const kept = { ...SEGMENT, customMetadata };
  expect(await after.fetchIndex(kept, 'OFFSET')).toEqual(Uint8Array.of(1, 1));
  expect(await collectBytes(await after.fetchLogSegment(kept, { start: 9_990 }), 10)).toEqual(
    LOG.subarray(9_990),
  );
  await after.deleteLogSegmentData(kept);
  expect(store.objects.size).toBe(0);
});

test('by default the catalogue is given nothing to keep', async () => {
  const { manager } = setUp();
  expect(await manager.copyLogSegmentData(SEGMENT, DATA)).toBeUndefined();
});

test.each(['/a', '../a', 'a//', '../', 'a\\'])(
  'the prefix "%s" is refused at once',
  (keyPrefix) => {
    expect(() => setUp({ keyPrefix })).toThrow(
      expect.objectContaining({ kind: 'invalid-configuration' }),
    );
  },
);

test('a store with conditional writes is not asked before a copy, and still takes an earlier one back', async () => {
  const { store, manager } = setUp({}, new MapObjectStore({ conditionalPut: true }));
  await manager.copyLogSegmentData(SEGMENT, DATA);
  expect(store.calls).toEqual([`put ${INDEXES_KEY}`, `put ${LOG_KEY}`, `put ${MANIFEST_KEY}`]);
  store.calls.length = 0;
  await manager.copyLogSegmentData(SEGMENT, DATA);
  expect(store.calls).toEqual([
    `put ${INDEXES_KEY}`,
    `delete ${MANIFEST_KEY}`,
    `delete ${LOG_KEY} ${INDEXES_KEY}`,
    `put ${INDEXES_KEY}`,
    `put ${LOG_KEY}`,
    `put ${MANIFEST_KEY}`,
  ]);
  expect(await readLog(manager)).toEqual(LOG);
});

test('a manifest that is not there is named, with what to look at', async () => {
  const { manager } = setUp();
  await expect(manager.fetchLogSegment(SEGMENT, { start: 0 })).rejects.toMatchObject({
    code: 'LOGLOFT_REMOTE_NOT_FOUND',
    key: MANIFEST_KEY,
    message: expect.stringMatching(/key\.prefix has changed, or restore the object/),
  });
});

test('a store that does not pace gets its objects admitted whole, each before it is written', async () => {
  const { store, manager } = setUp();
  const taken: [bytes: number, puts: number][] = [];
  await manager.copyLogSegmentData(SEGMENT, DATA, {
    pacer: {
      take: async (bytes) => {
        taken.push([bytes, store.calls.filter((call) => call.startsWith('put')).length]);
      },
    },
  });
  expect(taken).toEqual([
    [21, 0],
    [10_000, 1],
    [store.objects.get(MANIFEST_KEY)?.byteLength, 2],
  ]);
});

test('waiting for a quota is not silence', async () => {
  const { store, manager, context } = setUp({ idleTimeoutMs: 1_000 });
  const gate = Promise.withResolvers<void>();
  const copying = manager.copyLogSegmentData(SEGMENT, DATA, {
    pacer: { take: () => gate.promise },
  });
  await context.clock.advanceAsync(3_600_000);
  gate.resolve();
  await copying;
  expect(store.objects.size).toBe(3);
});

test('the segments in a store are listed with what there is of each, and foreign objects are not', async () => {
  const { store, manager } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  store.objects.set('readme.txt', Uint8Array.of(1));
  const orphan = `${MAIN_PATH.replace('1234', '2001')}.log`;
  store.objects.set(orphan, Uint8Array.of(1, 2, 3));
  const listed = [];
  for await (const segment of manager.listSegments()) listed.push(segment);
  expect(listed).toEqual([
    {
      segmentId: SEGMENT.remoteLogSegmentId,
      startOffset: 1234,
      objectBytes: new Map([
        ['indexes', 21],
        ['log', 10_000],
        ['rsm-manifest', store.objects.get(MANIFEST_KEY)?.byteLength],
      ]),
    },
    {
      segmentId: SEGMENT.remoteLogSegmentId,
      startOffset: 2001,
      objectBytes: new Map([['log', 3]]),
    },
  ]);
});
