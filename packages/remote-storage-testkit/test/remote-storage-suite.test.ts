import { generateKeyPairSync } from 'node:crypto';
import {
  type ByteRange,
  type CallOptions,
  type CustomMetadata,
  type IndexType,
  type LayoutOptions,
  type LogSegmentData,
  type ObjectStoreCapabilities,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
  RemoteResourceNotFoundError,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { damageStoredSegment, describeRemoteStorageManager, testContext } from '../src/index.ts';
import { RecordingRunner } from './recording-runner.ts';
import { type KeptSegment, ReferenceManager } from './reference-manager.ts';
import { ReferenceObjectStore } from './reference-object-store.ts';

/** Shows a segment while its parts are still coming. */
class ShowsUnfinished extends ReferenceManager {
  override async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    this.segments.set(this.keyOf(segment), { log: new Uint8Array(100), indexes: new Map() });
    this.segments.set(this.keyOf(segment), await this.readParts(data, options));
    return undefined;
  }
}

/** Takes the end of a range as exclusive. */
class ExclusiveEnds extends ReferenceManager {
  override async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const end = range.end === undefined ? undefined : Math.max(range.start, range.end - 1);
    return await super.fetchLogSegment(segment, { ...range, end }, options);
  }
}

/** Fails to delete what is not there. */
class StrictDelete extends ReferenceManager {
  override async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    this.find(segment);
    await super.deleteLogSegmentData(segment, options);
  }
}

/** Takes an absent index for one of no bytes. */
class EmptyForAbsent extends ReferenceManager {
  override async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    return (
      this.find(segment).indexes.get(type) ??
      (await super.fetchIndex(segment, 'LEADER_EPOCH', options))
    );
  }
}

/** Takes an index of no bytes for an absent one. */
class AbsentForEmpty extends ReferenceManager {
  override async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const bytes = await super.fetchIndex(segment, type, options);
    if (bytes.byteLength === 0) throw new RemoteResourceNotFoundError('empty');
    return bytes;
  }
}

/** Keeps what the first copy had and the second has not. */
class MergesCopies extends ReferenceManager {
  override async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    const old = this.segments.get(this.keyOf(segment));
    await super.copyLogSegmentData(segment, data, options);
    const { log, indexes } = this.find(segment);
    const merged = new Map([...(old?.indexes ?? []), ...indexes]);
    this.segments.set(this.keyOf(segment), { log, indexes: merged });
    return undefined;
  }
}

/** Names segments by their offsets. */
class IgnoresIds extends ReferenceManager {
  protected override keyOf({
    remoteLogSegmentId: { topicIdPartition },
    startOffset,
  }: RemoteLogSegmentMetadata): string {
    return `${topicIdPartition.topicId}/${topicIdPartition.partition}/${startOffset}`;
  }
}

/** Names topics by their names. */
class IgnoresTopicIds extends ReferenceManager {
  protected override keyOf({ remoteLogSegmentId }: RemoteLogSegmentMetadata): string {
    const { topicIdPartition, id } = remoteLogSegmentId;
    return `${topicIdPartition.topic}/${topicIdPartition.partition}/${id}`;
  }
}

/** Goes on with a copy that nobody wants any more. */
class DeafCopy extends ReferenceManager {
  override async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
  ): Promise<CustomMetadata | undefined> {
    return await super.copyLogSegmentData(segment, data);
  }
}

/** Answers from what it read once. */
class StaleCache extends ReferenceManager {
  readonly #cache = new Map<string, KeptSegment>();

  protected override find(segment: RemoteLogSegmentMetadata): KeptSegment {
    const cached = this.#cache.get(this.keyOf(segment)) ?? super.find(segment);
    this.#cache.set(this.keyOf(segment), cached);
    return cached;
  }
}

/** Gives the catalogue more to keep than it can. */
class LongMetadata extends ReferenceManager {
  override async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata> {
    await super.copyLogSegmentData(segment, data, options);
    return new TextEncoder().encode(segment.remoteLogSegmentId.topicIdPartition.topic);
  }
}

/** Asks no pacer. */
class Unpaced extends ReferenceManager {
  override async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    return await super.copyLogSegmentData(segment, data, { ...options, pacer: undefined });
  }
}

/** Works on after it was disposed of. */
class Undead extends ReferenceManager {
  override async [Symbol.asyncDispose](): Promise<void> {
    // Nothing: that is the fault.
  }
}

/** Loses the first byte of what begins at the border of a chunk. */
class SkipsAtBorders extends ReferenceManager {
  override async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const start = range.start > 0 && range.start % 4_096 === 0 ? range.start + 1 : range.start;
    const end = range.end === undefined ? undefined : Math.max(start, range.end);
    return await super.fetchLogSegment(segment, { start, end }, options);
  }
}

/** Keeps whole chunks alone. */
class LosesTheTail extends ReferenceManager {
  protected override async readParts(
    data: LogSegmentData,
    options: CallOptions,
  ): Promise<KeptSegment> {
    const { log, indexes } = await super.readParts(data, options);
    const whole = log.byteLength - (log.byteLength % 4_096);
    return { log: whole < 4_096 ? log : log.subarray(0, whole), indexes };
  }
}

const BROKEN: readonly [new () => RemoteStorageManager, RegExp, fault?: string][] = [
  [ShowsUnfinished, /until the copy returns nothing of the segment is found/, 'non-atomic publish'],
  [ExclusiveEnds, /both ends of a range of the log are inclusive/, 'off-by-one range'],
  [StrictDelete, /deleting twice is allowed/, 'delete that throws on missing'],
  [EmptyForAbsent, /without a transaction index TRANSACTION is not found/],
  [AbsentForEmpty, /parts of no bytes are parts like any other/],
  [MergesCopies, /no part of the first is left/],
  [IgnoresIds, /the same offsets under two ids are two segments/],
  [IgnoresTopicIds, /created anew under its old name is another one/],
  [DeafCopy, /a copy that is aborted rejects with the reason/, 'lost abort'],
  [StaleCache, /a deleted segment is not found, also after it was read/],
  [LongMetadata, /what the catalogue is to keep is short enough/],
  [Unpaced, /a copy asks its pacer for all bytes/],
  [Undead, /calls after it are refused/],
  [SkipsAtBorders, /ranges round the borders of chunks/],
  [LosesTheTail, /record batches, which compress well/, 'silent truncation'],
];

function suiteOf(open: () => RemoteStorageManager, caseTimeoutMs?: number): RecordingRunner {
  const runner = new RecordingRunner();
  describeRemoteStorageManager(runner, {
    name: 'manager',
    open: () => ({ manager: open() }),
    caseTimeoutMs,
    onReport: () => undefined,
  });
  return runner;
}

const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) };
const ENCRYPTION = { keyPairId: 'k1', keyPairs: [KEY_PAIR] };

const STORE: Partial<ObjectStoreCapabilities> = {
  durable: true,
  maxKeyBytes: 700,
  paced: false,
  conditionalPut: false,
};

function layoutSuiteOf(layout: LayoutOptions, noticesAltered: boolean): RecordingRunner {
  const runner = new RecordingRunner();
  describeRemoteStorageManager(runner, {
    name: 'layout',
    chunkBytes: layout.chunkBytes,
    open: () => {
      const first = new ReferenceObjectStore(STORE);
      const open = (): RemoteStorageManager =>
        new ObjectStoreRemoteStorage(
          new ReferenceObjectStore(STORE, first.objects),
          layout,
          testContext(3),
        );
      return {
        manager: open(),
        reopen: async () => open(),
        damage: (damage) => damageStoredSegment(first, damage),
        noticesAltered,
      };
    },
    onReport: () => undefined,
  });
  return runner;
}

// A whole suite may take long on a busy machine; what hangs is found by the suite's own time-out.
const TIMEOUT_MS = 120_000;

describe('describeRemoteStorageManager', { timeout: TIMEOUT_MS }, () => {
  test('is green for a manager that keeps the contract', async () => {
    const results = await suiteOf(() => new ReferenceManager()).run();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const skipped = results.filter(({ outcome }) => outcome === 'skipped');
    expect(new Set(skipped.map(({ detail }) => detail))).toEqual(
      new Set(['stored segments cannot be damaged here', 'the manager is not durable']),
    );
    expect(results.length).toBeGreaterThan(30);
  });

  test('is green for the default layout over a store that keeps its contract', async () => {
    const results = await layoutSuiteOf({ chunkBytes: 4_096 }, false).run();
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([
      {
        name: expect.stringMatching(/one bit was turned/),
        outcome: 'skipped',
        detail: 'altered bytes cannot be noticed without checksum or encryption',
      },
    ]);
  });

  test.each([
    { name: 'compressed', layout: { compressionEnabled: true } },
    { name: 'encrypted', layout: { encryption: ENCRYPTION } },
    {
      name: 'compressed and encrypted',
      layout: { compressionEnabled: true, encryption: ENCRYPTION },
    },
  ])('is green for the default layout, $name', async ({ layout }) => {
    const encrypted = 'encryption' in layout;
    const results = await layoutSuiteOf({ ...layout, chunkBytes: 4_096 }, encrypted).run();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(encrypted ? 0 : 1);
  });

  test('is red for a layout that is said to notice altered bytes, and does not', async () => {
    const results = await layoutSuiteOf({ chunkBytes: 4_096 }, true).run(/one bit was turned/);
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test.each(BROKEN.map(([Broken, sentence, fault = Broken.name]) => ({ fault, Broken, sentence })))(
    'is red for a manager that is broken: $fault',
    async ({ Broken, sentence }) => {
      const timeoutMs = Broken === DeafCopy ? 500 : undefined;
      const results = await suiteOf(() => new Broken(), timeoutMs).run(sentence);
      expect(results.map(({ outcome }) => outcome)).toEqual(['failed']);
    },
  );
});
