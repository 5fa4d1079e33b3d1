import { isoTime } from '../http/civil-time.ts';
import type { Bucket } from './bucket.ts';
import type { ListPage } from './list-objects.ts';
import { etagOf, type StoredObject } from './stored-object.ts';

/** An object as the JSON API shows it; what is undefined is left out of the document. */
export interface ObjectResource {
  readonly kind: 'storage#object';
  readonly id: string;
  readonly selfLink: string;
  readonly mediaLink: string;
  readonly name: string;
  readonly bucket: string;
  readonly generation: string;
  readonly metageneration: string;
  readonly storageClass: string;
  readonly size: string;
  readonly md5Hash: string | undefined;
  readonly crc32c: string;
  readonly etag: string;
  readonly componentCount: number | undefined;
  readonly timeCreated: string;
  readonly updated: string;
  readonly timeStorageClassUpdated: string;
  readonly timeFinalized: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** @param baseUrl scheme and authority under which the client reaches the stub */
export function objectResource(object: StoredObject, baseUrl: string): ObjectResource {
  const { bucket, name, content, settings, generation, metageneration } = object;
  const path = `storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}`;
  const created = isoTime(object.createdAtMs);
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: `${baseUrl}/${path}`,
    mediaLink: `${baseUrl}/download/${path}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation: String(generation),
    metageneration: String(metageneration),
    storageClass: 'STANDARD',
    ...Object.fromEntries(settings.fields),
    size: String(content.bytes.size),
    md5Hash: content.md5Hash,
    crc32c: content.crc32c,
    etag: etagOf(object),
    componentCount: object.componentCount,
    timeCreated: created,
    updated: isoTime(object.updatedAtMs),
    timeStorageClassUpdated: created,
    timeFinalized: created,
    // `fromEntries` defines properties, so `__proto__` becomes one like any other.
    metadata: settings.metadata.size > 0 ? Object.fromEntries(settings.metadata) : undefined,
  };
}

/** A page of a bucket's objects; empty lists are left out, as the service does. */
export function listResource(page: ListPage, baseUrl: string): Readonly<Record<string, unknown>> {
  const { objects, prefixes, nextPageToken } = page;
  return {
    kind: 'storage#objects',
    nextPageToken,
    prefixes: prefixes.length > 0 ? prefixes : undefined,
    items:
      objects.length > 0 ? objects.map((object) => objectResource(object, baseUrl)) : undefined,
  };
}

/** A bucket as the JSON API shows it. */
export function bucketResource(bucket: Bucket, baseUrl: string): Readonly<Record<string, unknown>> {
  const { name, createdAtMs, metageneration, settings } = bucket;
  const created = isoTime(createdAtMs);
  return {
    location: 'US',
    storageClass: 'STANDARD',
    ...Object.fromEntries(settings),
    kind: 'storage#bucket',
    id: name,
    selfLink: `${baseUrl}/storage/v1/b/${encodeURIComponent(name)}`,
    name,
    projectNumber: '0',
    metageneration: String(metageneration),
    etag: Buffer.from(`${createdAtMs}/${metageneration}`).toString('base64'),
    timeCreated: created,
    updated: created,
  };
}
