import { collectBytes } from '../collect-bytes.ts';
import { isNotFound, RemoteStorageError } from '../errors.ts';
import { memorySource } from '../memory-source.ts';
import type { ObjectStore } from '../object-store.ts';
import { KeyRing } from '../transform/key-ring.ts';
import { decodeManifest } from './decode-manifest.ts';
import { MAX_MANIFEST_BYTES } from './manifest.ts';
import type { SegmentKeys } from './segment-key.ts';
import type { ListedSegment } from './segment-listing.ts';
import type { SegmentRemover } from './segment-remover.ts';

/** Which data keys are wrapped anew. */
export interface RewrapOptions {
  /** Only those under this key pair. Default: under any but the active one. */
  readonly from?: string | undefined;
  /** Ends it between two manifests. */
  readonly signal?: AbortSignal | undefined;
}

/** A manifest that could not be rewritten; it is as it was. */
export interface RewrapFailure {
  readonly key: string;
  readonly error: unknown;
}

/** What became of the segments. Their number is the sum of the four. */
export interface RewrapReport {
  /** Wrapped with the active pair now, and not before. */
  readonly rewrapped: number;
  /** Left alone: wrapped with the active pair already, or with another than `from`. */
  readonly unchanged: number;
  /** Left alone: not encrypted. */
  readonly unencrypted: number;
  /** At most 100 are listed; `failed` counts them all. */
  readonly failures: readonly RewrapFailure[];
  readonly failed: number;
}

/** What {@link rewrapDataKeys} works with. */
export interface RewrapParts {
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
  readonly remover: SegmentRemover;
  readonly segments: AsyncIterable<ListedSegment>;
  readonly keysOf: (segment: {
    readonly remoteLogSegmentId: ListedSegment['segmentId'];
    readonly startOffset: number;
  }) => SegmentKeys;
  readonly forget: (manifestKey: string) => void;
  /** Sees each failure before it is reported. */
  readonly failed: (error: unknown) => unknown;
}

const MAX_FAILURES = 100;

type Outcome = 'rewrapped' | 'unchanged' | 'unencrypted';

/** Wraps data keys with the active pair, one manifest after the other. */
export async function rewrapDataKeys(
  { from, signal }: RewrapOptions,
  parts: RewrapParts,
): Promise<RewrapReport> {
  const { keyRing, remover, segments, keysOf } = parts;
  if (keyRing.activeKeyPairId === undefined) {
    throw new RemoteStorageError(
      'invalid-configuration',
      'There is no active key pair to wrap data keys with; set encryption.key.pair.id',
    );
  }
  const counts = { rewrapped: 0, unchanged: 0, unencrypted: 0, failed: 0 };
  const failures: RewrapFailure[] = [];
  for await (const { segmentId, startOffset, objectBytes } of segments) {
    if (!objectBytes.has('rsm-manifest')) continue;
    const keys = keysOf({ remoteLogSegmentId: segmentId, startOffset });
    const key = keys.manifest;
    signal?.throwIfAborted();
    try {
      counts[await remover.holding(key, () => rewrap(keys, { from, signal }, parts))] += 1;
    } catch (error) {
      signal?.throwIfAborted();
      // It was deleted since it was listed.
      if (isNotFound(error)) continue;
      counts.failed += 1;
      if (failures.length < MAX_FAILURES) failures.push({ key, error: parts.failed(error) });
    }
  }
  return { ...counts, failures };
}

async function rewrap(
  keys: SegmentKeys,
  { from, signal }: RewrapOptions,
  { store, keyRing, forget }: RewrapParts,
): Promise<Outcome> {
  const key = keys.manifest;
  const bytes = await collectBytes(await store.get(key, undefined, { signal }), MAX_MANIFEST_BYTES);
  const { encryption } = decodeManifest(bytes, key);
  if (encryption === undefined) return 'unencrypted';
  const { dataKey } = encryption;
  const id = KeyRing.keyPairIdOf(dataKey);
  if (id === keyRing.activeKeyPairId || (from !== undefined && id !== from)) return 'unchanged';
  const plain = keyRing.unwrap(dataKey, key);
  const rewrapped = keyRing.wrap(plain);
  plain.fill(0);
  const rewritten = withDataKey(bytes, dataKey, rewrapped, key);
  // Another process may have deleted the segment meanwhile, the manifest first. With the log gone it
  // must not come back.
  await store.head(keys.log, { signal });
  await store.put(key, memorySource(rewritten), { signal });
  forget(key);
  return 'rewrapped';
}

// In the text, since numbers beyond 2^53 would not survive being read and written.
function withDataKey(bytes: Uint8Array, from: string, to: string, key: string): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const parts = text.split(JSON.stringify(from));
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw new RemoteStorageError(
      'corrupt',
      `The data key stands in ${JSON.stringify(key)} in a form that cannot be replaced`,
      { key },
    );
  }
  return new TextEncoder().encode(`${before}${JSON.stringify(to)}${after}`);
}
