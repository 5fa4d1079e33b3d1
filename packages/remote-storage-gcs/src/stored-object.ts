import { RemoteStorageError } from '@logloft/remote-storage';
import { crcToBase64 } from './checksums/crc32c.ts';
import { field, parsedJson, textField } from './json-fields.ts';

/** Name of the custom metadata in which a conditional upload recognises itself. */
export const TOKEN_METADATA = 'logloft-put';

/** What the store tells of an object; what it does not tell is `undefined`. */
export interface StoredObject {
  readonly size: number | undefined;
  readonly crc32c: string | undefined;
  readonly generation: string | undefined;
  readonly token: string | undefined;
}

/** What was sent. */
export interface SentObject {
  readonly key: string;
  readonly bytes: number;
  readonly crc: number;
}

/** Reads an object's resource; whatever else it may be gives an object of which nothing is told. */
export function storedObject(text: string): StoredObject {
  const resource = parsedJson(text);
  return {
    size: sizeField(resource),
    crc32c: textField(resource, 'crc32c'),
    generation: textField(resource, 'generation'),
    token: textField(field(resource, 'metadata'), TOKEN_METADATA),
  };
}

/**
 * Compares what was stored with what was sent.
 *
 * @throws RemoteStorageError `corrupt`
 */
export function assertStored(stored: StoredObject, { key, bytes, crc }: SentObject): void {
  const expected = crcToBase64(crc);
  const { size = bytes, crc32c = expected } = stored;
  if (size === bytes && crc32c === expected) return;
  throw new RemoteStorageError(
    'corrupt',
    `Writing the object ${JSON.stringify(key)} stored ${size} bytes with the CRC32C ${crc32c}, but ${bytes} bytes with ${expected} were sent; the object is removed again`,
    { key },
  );
}

/** The bytes of an object by its resource. */
export function sizeField(resource: unknown): number | undefined {
  const text = textField(resource, 'size') ?? '';
  const size = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}
