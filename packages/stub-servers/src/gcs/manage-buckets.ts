import { type Answer, emptyAnswer } from '../http/answer.ts';
import { parseQuery } from '../http/request-head.ts';
import type { Bucket } from './bucket.ts';
import { bucketName, type GcsCall, jsonAnswer, required } from './gcs-call.ts';
import { readJsonObject } from './object-settings.ts';
import { assertMet, readPreconditions } from './preconditions.ts';
import { readDocument } from './request-body.ts';
import { bucketResource } from './resources.ts';

/** Computed by the stub, so that no client sets it. */
const COMPUTED = ['name', 'kind', 'id', 'selfLink', 'etag', 'metageneration', 'timeCreated'];

/** Makes a bucket. */
export async function insertBucket(call: GcsCall): Promise<Answer> {
  const document = readJsonObject(await readDocument(call.exchange));
  const name = document.get('name');
  const bucket = call.storage.createBucket(
    required(typeof name === 'string' ? name : undefined, 'name'),
    withoutComputed(document),
  );
  return bucketAnswer(call, bucket);
}

/** Shows a bucket. */
export async function getBucket(call: GcsCall): Promise<Answer> {
  return bucketAnswer(call, findBucket(call));
}

/** Shows all buckets, in one page. */
export async function listBuckets(call: GcsCall): Promise<Answer> {
  const prefix = call.route.query.get('prefix') ?? '';
  const items = call.storage
    .buckets()
    .filter(({ name }) => name.startsWith(prefix))
    .map((bucket) => bucketResource(bucket, call.baseUrl));
  return jsonAnswer({ kind: 'storage#buckets', items: items.length > 0 ? items : undefined });
}

/** Keeps what the document sets; nothing follows from it. */
export async function patchBucket(call: GcsCall): Promise<Answer> {
  const document = readJsonObject(await readDocument(call.exchange));
  const { name } = findBucket(call);
  return bucketAnswer(call, call.storage.patchBucket(name, withoutComputed(document)));
}

/** Deletes an empty bucket. */
export async function deleteBucket(call: GcsCall): Promise<Answer> {
  await call.exchange.discardBody();
  call.storage.deleteBucket(findBucket(call).name);
  return emptyAnswer(204);
}

/** Grants whatever it is asked about; refusals are for the failure script. */
export async function testIamPermissions(call: GcsCall): Promise<Answer> {
  findBucket(call);
  const asked = parseQuery(call.exchange.head.query) ?? [];
  const permissions = asked.flatMap(([name, value]) => (name === 'permissions' ? [value] : []));
  return jsonAnswer({ kind: 'storage#testIamPermissionsResponse', permissions });
}

function findBucket(call: GcsCall): Bucket {
  const bucket = call.storage.bucket(bucketName(call));
  assertMet(readPreconditions(call.route.query), {
    generation: 0,
    metageneration: bucket.metageneration,
  });
  return bucket;
}

function bucketAnswer(call: GcsCall, bucket: Bucket): Answer {
  return jsonAnswer(bucketResource(bucket, call.baseUrl));
}

function withoutComputed(document: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map([...document].filter(([name]) => !COMPUTED.includes(name)));
}
