import { seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  collectBytes,
  INDEX_TYPES,
  type IndexType,
  isRemoteStorageError,
  type LayoutOptions,
  type LogSegmentData,
  memorySource,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
  RemoteStorageError,
} from '../../src/index.ts';
import { decodeCustomMetadata } from '../../src/layout/custom-metadata.ts';
import { decodeManifest } from '../../src/layout/decode-manifest.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';
import { KEY_PAIRS } from './fixed-encryptor.ts';

const LOG_KEY = `${MAIN_PATH}.log`;
const INDEXES_KEY = `${MAIN_PATH}.indexes`;
const MANIFEST_KEY = `${MAIN_PATH}.rsm-manifest`;

const ENCRYPTION = { keyPairId: 'k1', keyPairs: [KEY_PAIRS[0]] };
const BOTH: LayoutOptions = {
  chunkBytes: 1_000,
  compressionEnabled: true,
  encryption: ENCRYPTION,
  customMetadataFields: ['REMOTE_SIZE'],
};

// A batch of version 2 without compression, with content that compresses.
const LOG = Buffer.alloc(4_500, 'a batch ');
LOG.writeInt32BE(4_488, 8);
LOG.writeInt8(2, 16);
LOG.writeInt16BE(0, 21);
const DATA_WITH_BATCH: LogSegmentData = { ...DATA, log: memorySource(LOG) };
const METADATA: RemoteLogSegmentMetadata = { ...SEGMENT, segmentSizeInBytes: LOG.byteLength };

function storageOf(
  options: LayoutOptions,
  store: MapObjectStore = new MapObjectStore(),
): {
  store: MapObjectStore;
  context: ReturnType<typeof manualContext>;
  manager: ObjectStoreRemoteStorage;
} {
  const context = manualContext();
  return { store, context, manager: new ObjectStoreRemoteStorage(store, options, context) };
}

async function readLog(manager: ObjectStoreRemoteStorage, start = 0): Promise<Buffer> {
  const pieces = await manager.fetchLogSegment(METADATA, { start });
  return Buffer.from(await collectBytes(pieces, LOG.byteLength));
}

function manifestOf(store: MapObjectStore): ReturnType<typeof decodeManifest> {
  return decodeManifest(store.objects.get(MANIFEST_KEY) ?? new Uint8Array(0));
}

const EXPECTED: Readonly<Record<IndexType, Uint8Array>> = {
  OFFSET: Uint8Array.of(1, 1),
  TIMESTAMP: Uint8Array.of(2, 2, 2),
  PRODUCER_SNAPSHOT: Uint8Array.of(3, 3, 3, 3),
  LEADER_EPOCH: DATA.leaderEpochIndex,
  TRANSACTION: Uint8Array.of(5),
};

test('a segment that is compressed and encrypted hides its bytes, and gives them back', async () => {
  const { store, manager } = storageOf(BOTH);
  const customMetadata = await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  expect(store.calls.slice(1)).toEqual([
    `put ${INDEXES_KEY}`,
    `put ${LOG_KEY}`,
    `put ${MANIFEST_KEY}`,
  ]);
  const stored = [...store.objects.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(decodeCustomMetadata(customMetadata ?? new Uint8Array(0)).remoteSize).toBe(stored);
  expect(Buffer.from(store.objects.get(LOG_KEY) ?? []).includes('batch')).toBe(false);
  expect(manifestOf(store)).toMatchObject({ isCompressed: true, chunkIndex: { type: 'variable' } });
  expect(Buffer.compare(await readLog(manager), LOG)).toBe(0);
  for (const type of INDEX_TYPES) {
    const index = await manager.fetchIndex(METADATA, type);
    expect(Buffer.compare(index, EXPECTED[type]), type).toBe(0);
  }
});

test('an empty index stores no bytes even when it is encrypted, and is read without a request', async () => {
  const { store, manager } = storageOf(BOTH);
  const timeIndex = memorySource(new Uint8Array(0));
  const transactionIndex = memorySource(new Uint8Array(0));
  await manager.copyLogSegmentData(METADATA, { ...DATA_WITH_BATCH, timeIndex, transactionIndex });
  const { segmentIndexes } = manifestOf(store);
  expect(segmentIndexes.timestamp).toEqual({ position: 30, size: 0 });
  expect(segmentIndexes.transaction).toEqual({ position: 101, size: 0 });
  await manager.fetchIndex(METADATA, 'OFFSET');
  store.calls.length = 0;
  expect(await manager.fetchIndex(METADATA, 'TIMESTAMP')).toHaveLength(0);
  expect(await manager.fetchIndex(METADATA, 'TRANSACTION')).toHaveLength(0);
  expect(store.calls).toEqual([]);
});

test('a segment without bytes is compressed and encrypted to none', async () => {
  const { store, manager } = storageOf(BOTH);
  const metadata = { ...METADATA, segmentSizeInBytes: 0 };
  const log = memorySource(new Uint8Array(0));
  await manager.copyLogSegmentData(metadata, { ...DATA, log });
  expect(store.objects.get(LOG_KEY)).toHaveLength(0);
  expect(manifestOf(store).chunkIndex.count).toBe(0);
  await expect(manager.fetchLogSegment(metadata, { start: 0 })).rejects.toMatchObject({
    kind: 'bad-range',
  });
});

test('a put that is sent again sends the same bytes', async () => {
  const { store, manager, context } = storageOf(BOTH);
  const sent: string[] = [];
  const bytes = new Map<string, Buffer[]>();
  const put = store.put.bind(store);
  store.put = async (key, source, options): Promise<void> => {
    await put(key, source, options);
    sent.push(key);
    bytes.set(key, [...(bytes.get(key) ?? []), Buffer.from(store.objects.get(key) ?? [])]);
    if (bytes.get(key)?.length === 1) throw new RemoteStorageError('unavailable', 'answer lost');
  };
  const copying = manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  await context.clock.advanceAsync(10_000);
  await copying;
  expect(sent).toEqual([INDEXES_KEY, INDEXES_KEY, LOG_KEY, LOG_KEY, MANIFEST_KEY, MANIFEST_KEY]);
  for (const [first, second] of bytes.values()) expect(second).toEqual(first);
  expect(Buffer.compare(await readLog(manager), LOG)).toBe(0);
});

test('two copies of the same segment have nothing in common but their length', async () => {
  const random = seededRandom(7);
  const objects = [];
  for (let copy = 0; copy < 2; copy += 1) {
    const store = new MapObjectStore();
    const manager = new ObjectStoreRemoteStorage(store, BOTH, { ...manualContext(), random });
    await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
    objects.push(Buffer.from(store.objects.get(LOG_KEY) ?? []).toString('hex'));
  }
  expect(objects[0]).toHaveLength(objects[1]?.length ?? 0);
  expect(objects[0]?.slice(0, 200)).not.toBe(objects[1]?.slice(0, 200));
});

test.each([LOG_KEY, INDEXES_KEY, MANIFEST_KEY])(
  'a copy that cannot write %s leaves nothing',
  async (failingKey) => {
    const { store, manager } = storageOf(BOTH);
    const denied = new RemoteStorageError('denied', 'no');
    store.intervene = (operation, key) => {
      if (operation === 'put' && key === failingKey) throw denied;
    };
    await expect(manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH)).rejects.toBe(denied);
    expect(store.objects.size).toBe(0);
  },
);

test('a store that says it wrote what it never read gets no manifest', async () => {
  const { store, manager } = storageOf(BOTH);
  const put = store.put.bind(store);
  store.put = async (key, source, options): Promise<void> => {
    await put(key, key === LOG_KEY ? memorySource(new Uint8Array(0)) : source, options);
  };
  await expect(manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH)).rejects.toMatchObject({
    kind: 'corrupt',
  });
  expect(store.objects.size).toBe(0);
});

test.each([
  ['is none', 0, true],
  ['is lz4', 3, false],
])(
  'by the heuristic, a segment whose first codec %s is compressed: %s',
  async (_, codec, expected) => {
    const { store, manager, context } = storageOf({
      compressionEnabled: true,
      compressionHeuristicEnabled: true,
    });
    const log = Buffer.from(LOG);
    log.writeInt16BE(codec, 21);
    await manager.copyLogSegmentData(METADATA, { ...DATA, log: memorySource(log) });
    expect(manifestOf(store).isCompressed).toBe(expected);
    expect(context.warnings).toEqual([]);
    expect(Buffer.compare(await readLog(manager), log)).toBe(0);
  },
);

test('by the heuristic, a log that is no batches is logged and stored as it is', async () => {
  const { store, manager, context } = storageOf({
    compressionEnabled: true,
    compressionHeuristicEnabled: true,
  });
  await manager.copyLogSegmentData(SEGMENT, DATA);
  expect(manifestOf(store).isCompressed).toBe(false);
  expect(context.warnings).toEqual([expect.stringContaining('does not begin with a record batch')]);
});

test('the heuristic alone compresses nothing', async () => {
  const { store, manager } = storageOf({ compressionHeuristicEnabled: true });
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  expect(manifestOf(store).isCompressed).toBe(false);
});

test('what was encrypted stays readable when encryption is switched off, or the pair rotated', async () => {
  const { store, manager } = storageOf(BOTH);
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  const off = storageOf({ encryption: { ...ENCRYPTION, enabled: false } }, store).manager;
  expect(Buffer.compare(await readLog(off), LOG)).toBe(0);
  const rotated = storageOf(
    { encryption: { keyPairId: 'k2', keyPairs: KEY_PAIRS } },
    store,
  ).manager;
  expect(Buffer.compare(await readLog(rotated), LOG)).toBe(0);
  const other = {
    ...SEGMENT,
    remoteLogSegmentId: { ...SEGMENT.remoteLogSegmentId, id: 'AAAAAAAAAAAAAAAAAAAAAQ' },
  };
  await off.copyLogSegmentData(other, DATA);
  const manifest = [...store.objects].find(([key]) => key.endsWith('AQ.rsm-manifest'))?.[1];
  expect(decodeManifest(manifest ?? new Uint8Array(0)).encryption).toBeUndefined();
});

test.each<[string, LayoutOptions, string, RegExp]>([
  ['no keys at all', {}, 'invalid-configuration', /key pair "k1", which is not configured/],
  [
    'only the public key',
    {
      encryption: { keyPairId: 'k1', keyPairs: [{ id: 'k1', publicKey: KEY_PAIRS[0].publicKey }] },
    },
    'invalid-configuration',
    /set encryption.key.pairs.k1.private.key.file/,
  ],
  [
    'another pair of that name',
    { encryption: { keyPairId: 'k1', keyPairs: [{ ...KEY_PAIRS[1], id: 'k1' }] } },
    'denied',
    /does not open the data key/,
  ],
])('with %s an encrypted segment is not read, but deleted', async (_, options, kind, message) => {
  const { store, manager } = storageOf(BOTH);
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  const reader = storageOf(options, store).manager;
  const refused = expect.objectContaining({ kind, message: expect.stringMatching(message) });
  await expect(readLog(reader)).rejects.toEqual(refused);
  await expect(reader.fetchIndex(METADATA, 'OFFSET')).rejects.toEqual(refused);
  await reader.deleteLogSegmentData(METADATA);
  expect(store.objects.size).toBe(0);
});

test('encryption without a chosen pair is refused at once', () => {
  expect(() => storageOf({ encryption: { keyPairs: KEY_PAIRS } })).toThrow(
    expect.objectContaining({
      kind: 'invalid-configuration',
      message: expect.stringContaining('encryption.key.pair.id'),
    }),
  );
});

// Reads everything; answers the first failure, after which nothing that was read may be wrong.
async function damageSeen(manager: ObjectStoreRemoteStorage): Promise<unknown> {
  let failure: unknown;
  const pieces: Buffer[] = [];
  try {
    for await (const piece of await manager.fetchLogSegment(METADATA, { start: 0 })) {
      pieces.push(Buffer.from(piece));
    }
  } catch (error) {
    failure = error;
  }
  // Whoever cannot open the data key cannot open it for the indexes either.
  if (isRemoteStorageError(failure) && failure.kind === 'denied') return failure;
  const read = Buffer.concat(pieces);
  expect(Buffer.compare(read, LOG.subarray(0, read.byteLength))).toBe(0);
  for (const type of INDEX_TYPES) {
    try {
      expect(Buffer.compare(await manager.fetchIndex(METADATA, type), EXPECTED[type])).toBe(0);
    } catch (error) {
      if (!isRemoteStorageError(error)) throw error;
      failure ??= error;
    }
  }
  return failure;
}

test('a turned bit in any part of log or indexes is damage by the name of the object, never data', async () => {
  const { store, manager } = storageOf(BOTH);
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  for (const key of [LOG_KEY, INDEXES_KEY]) {
    const sound = store.objects.get(key) ?? new Uint8Array(0);
    expect(sound.byteLength).toBeGreaterThan(100);
    // Every byte of the first chunk or index (vector, cipher text, tag), and some of each that follows.
    for (let at = 0; at < sound.byteLength; at += at < 80 ? 1 : 5) {
      const damaged = Uint8Array.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      store.objects.set(key, damaged);
      expect(await damageSeen(storageOf(BOTH, store).manager), `${key}, byte ${at}`).toMatchObject({
        kind: 'corrupt',
        key,
        message: expect.stringContaining(key),
      });
    }
    store.objects.set(key, sound);
  }
});

test('a turned bit in any part of the manifest is an error of a known kind, or changes nothing', async () => {
  const { store, manager } = storageOf(BOTH);
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  const sound = store.objects.get(MANIFEST_KEY) ?? new Uint8Array(0);
  const informational = Buffer.from(sound).indexOf(',"remoteLogSegmentMetadata"');
  const kinds = new Set(['corrupt', 'denied', 'invalid-configuration', 'not-found']);
  // The data key is long, and to try one takes its time.
  const dataKey = Buffer.from(sound).indexOf('"dataKey":"') + 20;
  const isWithinDataKey = (at: number): boolean => at > dataKey && at < dataKey + 300;
  for (let at = 0; at < informational; at += isWithinDataKey(at) ? 37 : 1) {
    const damaged = Uint8Array.from(sound);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 7));
    store.objects.set(MANIFEST_KEY, damaged);
    const failure = await damageSeen(storageOf(BOTH, store).manager);
    if (failure === undefined) continue;
    if (!isRemoteStorageError(failure)) throw failure;
    expect(kinds.has(failure.kind), `byte ${at}: ${failure.message}`).toBe(true);
  }
});

test('an object cut at any byte is damage, never a shorter log', async () => {
  const { store, manager } = storageOf(BOTH);
  await manager.copyLogSegmentData(METADATA, DATA_WITH_BATCH);
  for (const key of [LOG_KEY, INDEXES_KEY, MANIFEST_KEY]) {
    const sound = store.objects.get(key) ?? new Uint8Array(0);
    const least = key === MANIFEST_KEY ? 1 : 0;
    for (let length = least; length < sound.byteLength; length += 7) {
      store.objects.set(key, sound.subarray(0, length));
      const failure = await damageSeen(storageOf(BOTH, store).manager);
      expect(failure, `${key} cut to ${length}`).toMatchObject({ kind: 'corrupt' });
    }
    store.objects.set(key, sound);
  }
});
