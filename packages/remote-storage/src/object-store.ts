import type { ByteRange } from './byte-range.ts';
import type { CallOptions } from './call-options.ts';
import type { ObjectStoreCapabilities } from './capabilities.ts';
import type { SegmentSource } from './log-segment-data.ts';

/** What a store tells of an object. */
export interface ObjectHead {
  readonly key: string;
  /** Bytes of the object. */
  readonly size: number;
}

/** How an object is written. */
export interface PutOptions extends CallOptions {
  /** Refuse with `precondition` when the key exists already. Needs `capabilities.conditionalPut`. */
  readonly ifAbsent?: boolean | undefined;
}

/** A page-less listing. */
export interface ListOptions extends CallOptions {
  /** Only keys that start with this; default all. */
  readonly prefix?: string | undefined;
}

/** What a store is to look for that nobody will finish any more. */
export interface RemoveUnfinishedOptions extends CallOptions {
  /** Only keys that start with this; default all. */
  readonly prefix?: string | undefined;
  /** Only what was begun at least so many ms ago: younger ones may be another writer's. */
  readonly olderThanMs: number;
}

/**
 * The smallest thing that a plugin author can implement: five operations on whole objects. Layout,
 * atomic publication of segments, caching and deadlines are built on it by `ObjectStoreRemoteStorage`.
 *
 * Keys are UTF-8 with `/` between parts, never empty, and reach the store as they are. Reads after a
 * `put` or `delete` that returned see its effect. Failures are {@link RemoteStorageError}s.
 */
export interface ObjectStore extends AsyncDisposable {
  readonly capabilities: ObjectStoreCapabilities;

  /**
   * Writes an object whole. It becomes visible at once with all its bytes, or not at all; an object
   * that exists is replaced. Durable when the promise resolves, where `capabilities.durable`.
   */
  put(key: string, source: SegmentSource, options?: PutOptions): Promise<void>;

  /**
   * Reads an object or a range of it (both ends inclusive, the end cut to the last byte). Breaking off
   * the iteration ends the transfer.
   *
   * @throws RemoteStorageError `not-found`, or `bad-range` when the range starts beyond the end; both
   *   before the first piece
   */
  get(key: string, range?: ByteRange, options?: CallOptions): Promise<AsyncIterable<Uint8Array>>;

  /** @throws RemoteStorageError `not-found` */
  head(key: string, options?: CallOptions): Promise<ObjectHead>;

  /** Removes objects. Keys that do not exist count as removed. */
  delete(keys: readonly string[], options?: CallOptions): Promise<void>;

  /** All objects in ascending byte order of their keys, fetched page by page as they are asked for. */
  list(options?: ListOptions): AsyncIterable<ObjectHead>;

  /**
   * Removes what writers that crashed left unfinished and that costs money unseen, multipart uploads
   * for example. Only for stores that know such a thing and do not remove it by themselves.
   *
   * @returns how many were removed
   */
  removeUnfinished?(options: RemoveUnfinishedOptions): Promise<number>;

  /**
   * Wall-clock ms at the store. Only for stores that refuse the requests of a machine whose clock is far
   * off: tools then warn before that happens. Answers also when the store refuses everything else.
   */
  serverTime?(options?: CallOptions): Promise<number>;
}
