import {
  decodePercent,
  parseQuery,
  type QueryPair,
  type RequestHead,
} from '../http/request-head.ts';

/** Which thing a request is about, before it is known whether it may. */
export interface S3Route {
  /** Name of the operation as in S3's documentation, or `Unknown`. */
  readonly operation: string;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  /** The decoded path, or `undefined` when it is malformed. */
  readonly path: string | undefined;
  /** The decoded query, or `undefined` when it is malformed. */
  readonly query: readonly QueryPair[] | undefined;
}

/** Host names below which the first label is a bucket, longest first. */
const HOSTS = ['s3.localhost', 'localhost'] as const;

function bucketOfHost(host: string): string | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  for (const base of HOSTS) {
    if (name === base) return undefined;
    if (name.endsWith(`.${base}`)) return name.slice(0, -base.length - 1);
  }
  return undefined;
}

interface Place {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
}

function placeOf(path: string, host: string): Place {
  const rest = path.startsWith('/') ? path.slice(1) : path;
  const virtual = bucketOfHost(host);
  if (virtual !== undefined) return { bucket: virtual, key: rest === '' ? undefined : rest };
  const slash = rest.indexOf('/');
  const bucket = slash < 0 ? rest : rest.slice(0, slash);
  const key = slash < 0 ? '' : rest.slice(slash + 1);
  return { bucket: bucket === '' ? undefined : bucket, key: key === '' ? undefined : key };
}

// Queries that choose an operation, most specific first; the first that fits decides.
interface Choice {
  readonly method: string;
  readonly query?: readonly string[];
  readonly header?: string;
  readonly operation: string;
}

const SERVICE_OPERATIONS: readonly Choice[] = [{ method: 'GET', operation: 'ListBuckets' }];

const BUCKET_OPERATIONS: readonly Choice[] = [
  { method: 'GET', query: ['location'], operation: 'GetBucketLocation' },
  { method: 'GET', query: ['versioning'], operation: 'GetBucketVersioning' },
  { method: 'GET', query: ['uploads'], operation: 'ListMultipartUploads' },
  { method: 'GET', query: ['list-type'], operation: 'ListObjectsV2' },
  { method: 'GET', operation: 'ListObjects' },
  { method: 'POST', query: ['delete'], operation: 'DeleteObjects' },
  { method: 'HEAD', operation: 'HeadBucket' },
  { method: 'PUT', operation: 'CreateBucket' },
  { method: 'DELETE', operation: 'DeleteBucket' },
];

const OBJECT_OPERATIONS: readonly Choice[] = [
  { method: 'POST', query: ['uploads'], operation: 'CreateMultipartUpload' },
  { method: 'POST', query: ['uploadId'], operation: 'CompleteMultipartUpload' },
  { method: 'PUT', query: ['uploadId'], header: 'x-amz-copy-source', operation: 'UploadPartCopy' },
  { method: 'PUT', query: ['uploadId', 'partNumber'], operation: 'UploadPart' },
  { method: 'DELETE', query: ['uploadId'], operation: 'AbortMultipartUpload' },
  { method: 'GET', query: ['uploadId'], operation: 'ListParts' },
  { method: 'PUT', header: 'x-amz-copy-source', operation: 'CopyObject' },
  { method: 'PUT', operation: 'PutObject' },
  { method: 'GET', operation: 'GetObject' },
  { method: 'HEAD', operation: 'HeadObject' },
  { method: 'DELETE', operation: 'DeleteObject' },
];

/** Sub-resources that S3 has and the stub has not: to serve the plain operation would be wrong. */
const NOT_SERVED: ReadonlySet<string> = new Set([
  'accelerate',
  'acl',
  'analytics',
  'attributes',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'versions',
  'website',
]);

function operationOf(head: RequestHead, place: Place, names: ReadonlySet<string>): string {
  for (const name of names) if (NOT_SERVED.has(name)) return 'Unknown';
  let choices = OBJECT_OPERATIONS;
  if (place.key === undefined) choices = BUCKET_OPERATIONS;
  if (place.bucket === undefined) choices = SERVICE_OPERATIONS;
  const chosen = choices.find(
    ({ method, query = [], header }) =>
      method === head.method &&
      query.every((name) => names.has(name)) &&
      (header === undefined || head.headers.has(header)),
  );
  return chosen?.operation ?? 'Unknown';
}

/** Finds out what a request is about: path style, or virtual-host style below `localhost`. */
export function routeRequest(head: RequestHead): S3Route {
  const path = decodePercent(head.path);
  const query = parseQuery(head.query);
  const place = placeOf(path ?? '', head.headers.get('host') ?? '');
  const names = new Set((query ?? []).map(([name]) => name));
  return { operation: operationOf(head, place, names), ...place, path, query };
}
