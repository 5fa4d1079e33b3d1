import { decodePercent, parseQuery, type RequestHead } from '../http/request-head.ts';
import type { Query } from './preconditions.ts';

/** What a request asks for; the names that failure rules and the request log use. */
export type GcsOperation =
  | 'buckets.delete'
  | 'buckets.get'
  | 'buckets.insert'
  | 'buckets.list'
  | 'buckets.patch'
  | 'buckets.testIamPermissions'
  | 'objects.compose'
  | 'objects.copy'
  | 'objects.delete'
  /** Reads the content (`alt=media`). */
  | 'objects.download'
  /** Reads the document. */
  | 'objects.get'
  /** Writes an object in one request (`uploadType=multipart` or `media`). */
  | 'objects.insert'
  | 'objects.list'
  | 'objects.move'
  | 'objects.patch'
  | 'objects.rewrite'
  | 'objects.update'
  /** Hands out an access token. */
  | 'token'
  /** Gives a resumable upload up. */
  | 'uploads.cancel'
  /** Opens a resumable upload. */
  | 'uploads.open'
  /** Sends bytes of a resumable upload. */
  | 'uploads.put'
  /** Asks how far a resumable upload got; also ends one whose bytes are all there. */
  | 'uploads.query'
  | 'Unknown';

/** A request, by its head alone. */
export interface GcsRoute {
  readonly operation: GcsOperation;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  /** Of a copy, a rewrite or a move. */
  readonly target: { readonly bucket: string; readonly key: string } | undefined;
  readonly query: Query;
}

const NOWHERE: GcsRoute = {
  operation: 'Unknown',
  bucket: undefined,
  key: undefined,
  target: undefined,
  query: new Map(),
};

/** `/b/…` alone is what clients ask for that were told of an emulator by the environment. */
const PREFIX = /^(?:\/(resumable\/upload|upload|download))?(?:\/storage\/v1)?(?=\/b(?:\/|$))/;

/** What a request is. Never throws: what is not served, or malformed, is `Unknown`. */
export function routeOf(head: RequestHead): GcsRoute {
  const pairs = parseQuery(head.query);
  const segments = head.path.split('/').map(decodePercent);
  if (pairs === undefined || segments.some((segment) => segment === undefined)) return NOWHERE;
  const query = firstOfEach(pairs);
  if (head.path === '/token') {
    return { ...NOWHERE, query, operation: head.method === 'POST' ? 'token' : 'Unknown' };
  }
  const prefix = PREFIX.exec(head.path);
  if (prefix === null) return { ...NOWHERE, query };
  const skipped = prefix[0].split('/').length - 1;
  const names = segments.slice(skipped + 2).map((segment) => segment ?? '');
  const uploads = prefix[1]?.endsWith('upload') ?? false;
  return { ...NOWHERE, query, ...routeNames({ head, query, names, uploads }) };
}

interface Named {
  readonly head: RequestHead;
  readonly query: Query;
  /** The path behind `/b`, decoded. */
  readonly names: readonly string[];
  readonly uploads: boolean;
}

type Found = Partial<Pick<GcsRoute, 'bucket' | 'key' | 'target'>> & Pick<GcsRoute, 'operation'>;

function routeNames(named: Named): Found {
  const { head, names, query, uploads } = named;
  const [bucket = '', kind, key, ...rest] = names;
  if (uploads) return uploadRoute(named, bucket, kind);
  if (bucket === '') return { operation: BUCKETS.get(head.method) ?? 'Unknown' };
  if (kind === undefined) return { operation: BUCKET.get(head.method) ?? 'Unknown', bucket };
  if (kind === 'iam' && key === 'testPermissions' && rest.length === 0) {
    return { operation: 'buckets.testIamPermissions', bucket };
  }
  if (kind !== 'o') return { operation: 'Unknown', bucket };
  if (key === undefined) {
    return { operation: head.method === 'GET' ? 'objects.list' : 'Unknown', bucket };
  }
  if (rest.length > 0) return { bucket, key, ...subRoute(head.method, bucket, rest) };
  const operation = OBJECT.get(head.method) ?? 'Unknown';
  const media = operation === 'objects.get' && query.get('alt') === 'media';
  return { operation: media ? 'objects.download' : operation, bucket, key };
}

const BUCKETS: ReadonlyMap<string, GcsOperation> = new Map([
  ['GET', 'buckets.list'],
  ['POST', 'buckets.insert'],
]);

const BUCKET: ReadonlyMap<string, GcsOperation> = new Map([
  ['GET', 'buckets.get'],
  ['HEAD', 'buckets.get'],
  ['DELETE', 'buckets.delete'],
  ['PATCH', 'buckets.patch'],
]);

const OBJECT: ReadonlyMap<string, GcsOperation> = new Map([
  ['GET', 'objects.get'],
  ['HEAD', 'objects.get'],
  ['DELETE', 'objects.delete'],
  ['PATCH', 'objects.patch'],
  ['PUT', 'objects.update'],
]);

/** What follows an object's name in the path. */
function subRoute(method: string, bucket: string, rest: readonly string[]): Found {
  if (method !== 'POST') return { operation: 'Unknown' };
  const [verb, ...names] = rest;
  if (verb === 'compose' && names.length === 0) return { operation: 'objects.compose' };
  if (verb === 'moveTo' && names.length === 2 && names[0] === 'o') {
    return { operation: 'objects.move', target: { bucket, key: names[1] ?? '' } };
  }
  const [b, targetBucket = '', o, key = ''] = names;
  const copies = verb === 'rewriteTo' || verb === 'copyTo';
  if (!(copies && names.length === 4 && b === 'b' && o === 'o')) return { operation: 'Unknown' };
  const operation = verb === 'copyTo' ? 'objects.copy' : 'objects.rewrite';
  return { operation, target: { bucket: targetBucket, key } };
}

function uploadRoute(
  { head, names, query }: Named,
  bucket: string,
  kind: string | undefined,
): Found {
  const key = query.get('name');
  if (kind !== 'o' || names.length !== 2) return { operation: 'Unknown', bucket };
  return { operation: uploadOperation(head, query), bucket, ...(key === undefined ? {} : { key }) };
}

function uploadOperation({ method, headers }: RequestHead, query: Query): GcsOperation {
  const writes = method === 'POST' || method === 'PUT';
  if (query.has('upload_id')) {
    if (method === 'DELETE') return 'uploads.cancel';
    if (!writes) return 'Unknown';
    return /^bytes \*\//.test(headers.get('content-range') ?? '') ? 'uploads.query' : 'uploads.put';
  }
  if (!writes) return 'Unknown';
  return query.get('uploadType') === 'resumable' ? 'uploads.open' : 'objects.insert';
}

function firstOfEach(pairs: readonly (readonly [string, string])[]): Query {
  const query = new Map<string, string>();
  for (const [name, value] of pairs) if (!query.has(name)) query.set(name, value);
  return query;
}
