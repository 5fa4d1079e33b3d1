import type { Answer } from '../http/answer.ts';
import { type Exchange, RequestCutError } from '../http/exchange.ts';
import type { AnswerAction } from '../http/failure-action.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { RequestIdentity } from '../http/request-log.ts';
import type { StubService } from '../http/stub-service.ts';
import { MemoryBudgetError } from '../storage/memory-budget.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import {
  bucketLocation,
  bucketVersioning,
  createBucket,
  deleteBucket,
  headBucket,
  listBuckets,
} from './operations/buckets.ts';
import { deleteObject, deleteObjects } from './operations/delete-objects.ts';
import { abortUpload, completeUpload } from './operations/finish-upload.ts';
import { listObjects, listObjectsV2 } from './operations/list-objects.ts';
import { listParts, listUploads } from './operations/list-uploads.ts';
import { readObject } from './operations/read-object.ts';
import { createUpload, uploadPart, uploadPartCopy } from './operations/upload-parts.ts';
import { copyObject, putObject } from './operations/write-object.ts';
import { routeRequest, type S3Route } from './route-request.ts';
import { S3Call, type S3Context } from './s3-call.ts';
import type { S3Credential } from './s3-credential.ts';
import { S3Error, s3ErrorAnswer, usualCode } from './s3-error.ts';

type Handler = (call: S3Call) => Answer | Promise<Answer>;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['ListBuckets', listBuckets],
  ['CreateBucket', createBucket],
  ['HeadBucket', headBucket],
  ['DeleteBucket', deleteBucket],
  ['GetBucketLocation', bucketLocation],
  ['GetBucketVersioning', bucketVersioning],
  ['ListObjects', listObjects],
  ['ListObjectsV2', listObjectsV2],
  ['PutObject', putObject],
  ['CopyObject', copyObject],
  ['GetObject', readObject],
  ['HeadObject', readObject],
  ['DeleteObject', deleteObject],
  ['DeleteObjects', deleteObjects],
  ['CreateMultipartUpload', createUpload],
  ['UploadPart', uploadPart],
  ['UploadPartCopy', uploadPartCopy],
  ['CompleteMultipartUpload', completeUpload],
  ['AbortMultipartUpload', abortUpload],
  ['ListParts', listParts],
  ['ListMultipartUploads', listUploads],
]);

/** The operations that are served. */
export const S3_OPERATIONS: readonly string[] = [...HANDLERS.keys()];

/** S3 over HTTP: finds the operation, checks the signature, lets the operation answer. */
export class S3Service implements StubService {
  readonly #context: S3Context;
  readonly #credentials: ReadonlyMap<string, S3Credential>;

  constructor(context: S3Context) {
    this.#context = context;
    this.#credentials = new Map(
      context.options.credentials.map((credential) => [credential.accessKeyId, credential]),
    );
  }

  identify(head: RequestHead): RequestIdentity {
    const { operation, bucket, key } = routeRequest(head);
    return { operation, bucket, key };
  }

  async serve(exchange: Exchange, identity: RequestIdentity): Promise<Answer> {
    try {
      const call = this.#authenticatedCall(exchange);
      assertServed(exchange.head);
      const handler = HANDLERS.get(identity.operation);
      if (handler === undefined) {
        throw new S3Error('NotImplemented', 'A header or query you provided is not implemented');
      }
      return this.#withIds(await handler(call));
    } catch (error) {
      const known = toS3Error(error);
      if (known === undefined) throw error;
      return this.#errorAnswer(known, exchange.head);
    }
  }

  scriptedAnswer(action: AnswerAction, head: RequestHead): Answer {
    const code = action.code ?? usualCode(action.status);
    const requestId = this.#newRequestId();
    const standard = s3ErrorAnswer(action.status, {
      code,
      message: action.message ?? 'Scripted failure',
      identity: this.identify(head),
      requestId,
    });
    const body = action.body === undefined ? standard.body : [Buffer.from(action.body)];
    const headers = new Map([...standard.headers, ...Object.entries(action.headers ?? {})]);
    return this.#withIds({ status: action.status, headers, body }, requestId);
  }

  unexpected(_error: unknown, head: RequestHead): Answer {
    const error = new S3Error('InternalError', 'The stub failed; see its log of requests.');
    return this.#errorAnswer(error, head);
  }

  forgetUpload(head: RequestHead): void {
    const { bucket, query } = routeRequest(head);
    const uploadId = new Map(query ?? []).get('uploadId');
    const { storage } = this.#context;
    const owner = storage.buckets().find(({ name }) => name === bucket);
    const upload = owner?.uploads.get(uploadId ?? '');
    if (owner !== undefined && upload !== undefined) storage.dropUpload(owner, upload);
  }

  #authenticatedCall(exchange: Exchange): S3Call {
    const route = routeRequest(exchange.head);
    const { path, query } = route;
    if (path === undefined || query === undefined) {
      throw new S3Error('InvalidURI', "Couldn't parse the specified URI.");
    }
    const claimed = { head: exchange.head, path, query };
    const { options, clock } = this.#context;
    const authority = {
      credentials: this.#credentials,
      region: options.region,
      nowMs: clock.now(),
    };
    const authenticated =
      options.authentication === 'verify'
        ? authenticate(claimed, authority)
        : this.#trusted(exchange.head);
    assertAllowed(authenticated.credential, route);
    return new S3Call({
      ...authenticated,
      context: this.#context,
      exchange,
      bucketName: route.bucket ?? '',
      key: route.key ?? '',
      query: new Map(query),
    });
  }

  #trusted(head: RequestHead): Authenticated {
    const [credential] = this.#context.options.credentials;
    if (credential === undefined) throw new S3Error('AccessDenied', 'Access Denied');
    const payloadHash = head.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
    return { credential, payloadHash, chunkSigning: undefined };
  }

  #errorAnswer(error: S3Error, head: RequestHead): Answer {
    const requestId = this.#newRequestId();
    const answer = s3ErrorAnswer(error.status, {
      code: error.code,
      message: error.message,
      details: error.details,
      identity: this.identify(head),
      requestId,
    });
    const size = error.details['ActualObjectSize'];
    if (error.code !== 'InvalidRange' || size === undefined)
      return this.#withIds(answer, requestId);
    const headers = new Map([...answer.headers, ['Content-Range', `bytes */${size}`]]);
    return this.#withIds({ ...answer, headers }, requestId);
  }

  #withIds(answer: Answer, requestId: string = this.#newRequestId()): Answer {
    const headers = new Map([
      ['x-amz-request-id', requestId],
      ['x-amz-id-2', requestId],
      ['Server', 'logloft-stub-s3'],
      ...answer.headers,
    ]);
    return { ...answer, headers };
  }

  #newRequestId(): string {
    const bytes = this.#context.random.fill(new Uint8Array(8));
    return Buffer.from(bytes).toString('hex').toUpperCase();
  }
}

/** Beginnings of headers that ask for what the stub has not: to do less in silence would be wrong. */
const NOT_SERVED: readonly string[] = [
  'x-amz-server-side-encryption-customer-',
  'x-amz-copy-source-server-side-encryption-customer-',
  'x-amz-tagging',
  'x-amz-object-lock-',
  'x-amz-write-offset-bytes',
];

function assertServed(head: RequestHead): void {
  const names = [...head.headers.keys()];
  const asked = names.find((name) => NOT_SERVED.some((start) => name.startsWith(start)));
  if (asked === undefined) return;
  throw new S3Error('NotImplemented', `${asked} is not implemented`, { Header: asked });
}

function assertAllowed(credential: S3Credential, route: S3Route): void {
  // S3 has no permission of its own for these: who may read or list may ask for the head, too.
  const asked = new Map([
    ['HeadObject', 'GetObject'],
    ['HeadBucket', 'ListObjectsV2'],
    ['ListObjects', 'ListObjectsV2'],
    ['CopyObject', 'PutObject'],
    ['CreateMultipartUpload', 'PutObject'],
    ['UploadPart', 'PutObject'],
    ['UploadPartCopy', 'PutObject'],
    ['CompleteMultipartUpload', 'PutObject'],
  ]);
  const denied = credential.deniedOperations ?? [];
  const permission = asked.get(route.operation) ?? route.operation;
  if (!denied.includes(route.operation) && !denied.includes(permission)) return;
  throw new S3Error('AccessDenied', `Access Denied: this user may not do ${route.operation}`);
}

function toS3Error(error: unknown): S3Error | undefined {
  if (error instanceof RequestCutError) return undefined;
  if (error instanceof S3Error) return error;
  if (error instanceof MemoryBudgetError) return new S3Error('InsufficientStorage', error.message);
  return undefined;
}
