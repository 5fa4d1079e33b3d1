import {
  collectBytes,
  memorySource,
  type ObjectStore,
  type RemoteStorageErrorCode,
} from '@logloft/remote-storage';

/** The objects of a segment, by the end of their keys. */
export type ObjectKind = 'log' | 'indexes' | 'rsm-manifest';

/** Something that is done to one object of a segment, and what readers are told of it. */
export interface Damage {
  readonly what: string;
  readonly object: ObjectKind;
  /** The bytes instead; `undefined` to delete the object. */
  readonly change: (bytes: Buffer) => Buffer | undefined;
  readonly code: RemoteStorageErrorCode;
}

const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

/** All that is done, each to a segment of its own, which nobody has read before. */
export const DAMAGES: readonly Damage[] = [
  {
    what: 'the log is deleted',
    object: 'log',
    change: () => undefined,
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'a byte of the log is altered',
    object: 'log',
    change: (bytes) => flipped(bytes, 40),
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'the log is cut short',
    object: 'log',
    change: (bytes) => bytes.subarray(0, 100),
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'the indexes are deleted',
    object: 'indexes',
    change: () => undefined,
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'a byte of the indexes is altered',
    object: 'indexes',
    change: (bytes) => flipped(bytes, 14),
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'the manifest is deleted',
    object: 'rsm-manifest',
    change: () => undefined,
    code: 'LOGLOFT_REMOTE_NOT_FOUND',
  },
  {
    what: 'the manifest is unreadable',
    object: 'rsm-manifest',
    change: (bytes) => bytes.subarray(0, bytes.length - 10),
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'the manifest is of an unknown version',
    object: 'rsm-manifest',
    change: (bytes) => Buffer.from(bytes.toString().replace('"version":"1"', '"version":"7"')),
    code: 'LOGLOFT_REMOTE_CORRUPT',
  },
  {
    what: 'the data key of the manifest is altered',
    object: 'rsm-manifest',
    change: (bytes) =>
      Buffer.from(bytes.toString().replace(/(:[A-Za-z0-9+/]{8})[A-Za-z0-9+/]{4}/, '$1AAAA')),
    code: 'LOGLOFT_REMOTE_DENIED',
  },
];

/**
 * Does harm to an object.
 *
 * @returns puts the object back as it was
 */
export async function inflict(
  bucket: ObjectStore,
  key: string,
  { change }: Damage,
): Promise<() => Promise<void>> {
  const bytes = Buffer.from(await collectBytes(await bucket.get(key), MAX_OBJECT_BYTES));
  const changed = change(Buffer.from(bytes));
  if (changed?.equals(bytes)) throw new Error('the change changes nothing');
  if (changed === undefined) await bucket.delete([key]);
  else await bucket.put(key, memorySource(changed));
  return async () => {
    await bucket.put(key, memorySource(bytes));
  };
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  return bytes;
}
