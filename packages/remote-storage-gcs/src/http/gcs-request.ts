import type { GcsOperation } from '../gcs-operation.ts';

/** A request as the transport sends it. */
export interface GcsRequest {
  readonly operation: GcsOperation;
  /** Key of the object concerned, for messages. */
  readonly key?: string | undefined;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query below the endpoint, or the whole address of an upload's session. */
  readonly target: string | URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Left alone until the answer is there, and not read afterwards. */
  readonly body?: readonly Uint8Array[] | undefined;
  /** Told when bytes of the body have left. */
  readonly onMoved?: (() => void) | undefined;
}

/** Where the store is: the parts of an address that all requests share. */
export interface Endpoint {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: string;
  /** Before every path; empty or without a slash at its end. */
  readonly basePath: string;
}

/** An address taken apart. */
export function endpointOf(url: URL): Endpoint {
  return {
    secure: url.protocol === 'https:',
    // Brackets around an IPv6 address belong to the text of a URL alone.
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    basePath: url.pathname.replace(/\/+$/, ''),
  };
}

/** Percent-encodes whatever could mean something in a path or a query. */
export function encodeKey(key: string): string {
  return encodeURIComponent(key).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Path of the bucket's resource. */
export function bucketPath(bucket: string): string {
  return `/storage/v1/b/${encodeKey(bucket)}`;
}

/** Path of an object's resource. */
export function objectPath(bucket: string, key: string): string {
  return `${bucketPath(bucket)}/o/${encodeKey(key)}`;
}

/** A query of the parameters that have a value, with its question mark. */
export function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeKey(value)}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
