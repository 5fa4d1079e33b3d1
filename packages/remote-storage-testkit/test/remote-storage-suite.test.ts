import {
  type ByteRange,
  type CallOptions,
  type CustomMetadata,
  type IndexType,
  type LogSegmentData,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
  RemoteResourceNotFoundError,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { describeRemoteStorageManager, testContext } from '../src/index.ts';
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

const BROKEN: readonly [new () => RemoteStorageManager, RegExp][] = [
  [ShowsUnfinished, /until the copy returns nothing of the segment is found/],
  [ExclusiveEnds, /both ends of a range of the log are inclusive/],
  [StrictDelete, /deleting twice is allowed/],
  [EmptyForAbsent, /without a transaction index TRANSACTION is not found/],
  [AbsentForEmpty, /parts of no bytes are parts like any other/],
  [MergesCopies, /no part of the first is left/],
  [IgnoresIds, /the same offsets under two ids are two segments/],
  [IgnoresTopicIds, /created anew under its old name is another one/],
  [DeafCopy, /a copy that is aborted rejects with the reason/],
  [StaleCache, /a deleted segment is not found, also after it was read/],
  [LongMetadata, /what the catalogue is to keep is short enough/],
  [Unpaced, /a copy asks its pacer for all bytes/],
  [Undead, /calls after it are refused/],
];

function suiteOf(open: () => RemoteStorageManager, caseTimeoutMs?: number): RecordingRunner {
  const runner = new RecordingRunner();
  const options = { name: 'manager', open: () => ({ manager: open() }), caseTimeoutMs };
  describeRemoteStorageManager(runner, options);
  return runner;
}

describe('describeRemoteStorageManager', () => {
  test('is green for a manager that keeps the contract', async () => {
    const results = await suiteOf(() => new ReferenceManager()).run();
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(results.length).toBeGreaterThan(20);
  });

  test('is green for the default layout over a store that keeps its contract', async () => {
    const store = { maxKeyBytes: 700, paced: false, conditionalPut: false };
    const results = await suiteOf(
      () => new ObjectStoreRemoteStorage(new ReferenceObjectStore(store), {}, testContext(3)),
    ).run();
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  });

  test.each(BROKEN.map(([Broken, sentence]) => ({ name: Broken.name, Broken, sentence })))(
    'is red for a manager that is broken: $name',
    async ({ Broken, sentence }) => {
      const timeoutMs = Broken === DeafCopy ? 500 : undefined;
      const results = await suiteOf(() => new Broken(), timeoutMs).run(sentence);
      expect(results.map(({ outcome }) => outcome)).toEqual(['failed']);
    },
  );
});
