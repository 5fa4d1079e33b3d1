import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isNotFound, isRemoteStorageError, RemoteStorageError } from '@logloft/remote-storage';
import { serviceFailure } from '../errors/service-failure.ts';
import type { S3Calls } from '../s3-calls.ts';
import type { ResolvedS3Settings } from '../s3-settings.ts';
import { isNodeStream } from './body-pieces.ts';

/** What single requests are made with. */
export interface RequestContext {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly settings: ResolvedS3Settings;
}

/** What a store tells of an object without its bytes. */
export interface FoundObject {
  readonly size: number;
  /** By name in lower case. */
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Looks an object up. An answer to HEAD has no body that could say what is missing: when it is not found,
 * the bucket is looked up, too.
 *
 * @throws RemoteStorageError `not-found`, `container-missing`, and others by kind
 */
export async function headObject(
  { client, calls, settings }: RequestContext,
  key: string,
  signal: AbortSignal | undefined,
): Promise<FoundObject> {
  const { bucket } = settings;
  const facts = { action: 'Looking up the object', key, permission: 's3:GetObject' };
  const answer = await calls
    .once(facts, { signal }, (options) =>
      client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), options),
    )
    .catch(async (error: unknown) => {
      if (isNotFound(error)) await assertBucket({ client, calls, settings }, signal);
      if (isWordless(error)) await assertReadable({ client, calls, settings }, key, signal);
      throw error;
    });
  const { ContentLength: size } = answer;
  if (size === undefined) {
    throw new RemoteStorageError('unavailable', `The store told no size of ${key}`, { key });
  }
  return {
    size,
    metadata: new Map(Object.entries(answer.Metadata ?? {})),
  };
}

// Expired credentials, among others, are a bad request, and an answer to HEAD does not say more than that.
function isWordless(error: unknown): boolean {
  return isRemoteStorageError(error) && serviceFailure(error.cause).status === 400;
}

// Fails as a read does, with words.
async function assertReadable(
  { client, calls, settings }: RequestContext,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const facts = { action: 'Looking up the object', key, permission: 's3:GetObject' };
  const { Body: body } = await calls.once(facts, { signal }, (options) =>
    client.send(
      new GetObjectCommand({ Bucket: settings.bucket, Key: key, Range: 'bytes=0-0' }),
      options,
    ),
  );
  if (isNodeStream(body)) body.destroy();
}

async function assertBucket(
  { client, calls, settings }: RequestContext,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { bucket } = settings;
  const facts = { action: 'Looking up the bucket', permission: 's3:ListBucket' };
  await calls
    .once(facts, { signal }, (options) =>
      client.send(new HeadBucketCommand({ Bucket: bucket }), options),
    )
    .catch((error: unknown) => {
      signal?.throwIfAborted();
      // Refused, or not to be reached: that the bucket is gone is not known.
      if (!isRemoteStorageError(error)) return;
      if (error.kind !== 'not-found' && error.kind !== 'container-missing') return;
      throw new RemoteStorageError(
        'container-missing',
        `There is no bucket "${bucket}". Create it, or correct "s3.bucket.name"`,
        { cause: error },
      );
    });
}
