import { type Answer, emptyAnswer, textAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { AnswerAction } from '../http/failure-action.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { RequestIdentity } from '../http/request-log.ts';
import type { StubService } from '../http/stub-service.ts';
import { MemoryBudgetError } from '../storage/memory-budget.ts';
import type { Access } from './access.ts';
import { composeObject } from './compose-objects.ts';
import { copyObject, moveObject, rewriteObject } from './copy-objects.ts';
import type { GcsCall, GcsContext } from './gcs-call.ts';
import { errorDocument, GcsError, reasonOf } from './gcs-error.ts';
import { insertObject } from './insert-object.ts';
import {
  deleteBucket,
  getBucket,
  insertBucket,
  listBuckets,
  patchBucket,
  testIamPermissions,
} from './manage-buckets.ts';
import { deleteObject, listObjects, patchObject, updateObject } from './manage-objects.ts';
import { downloadObject, getObject } from './read-object.ts';
import { cancelUpload, continueUpload, openUpload } from './resumable-upload.ts';
import { type GcsOperation, routeOf } from './route.ts';

type Handler = (call: GcsCall) => Promise<Answer>;

const HANDLERS: Readonly<Record<Exclude<GcsOperation, 'token' | 'Unknown'>, Handler>> = {
  'buckets.delete': deleteBucket,
  'buckets.get': getBucket,
  'buckets.insert': insertBucket,
  'buckets.list': listBuckets,
  'buckets.patch': patchBucket,
  'buckets.testIamPermissions': testIamPermissions,
  'objects.compose': composeObject,
  'objects.copy': copyObject,
  'objects.delete': deleteObject,
  'objects.download': downloadObject,
  'objects.get': getObject,
  'objects.insert': insertObject,
  'objects.list': listObjects,
  'objects.move': moveObject,
  'objects.patch': patchObject,
  'objects.rewrite': rewriteObject,
  'objects.update': updateObject,
  'uploads.cancel': cancelUpload,
  'uploads.open': openUpload,
  'uploads.put': continueUpload,
  'uploads.query': continueUpload,
};

/** All that is served, by the names that failure rules and the request log use. */
export const OPERATIONS: readonly string[] = [...Object.keys(HANDLERS), 'token'];

/** The JSON API over a storage in memory. */
export class GcsService implements StubService {
  readonly #context: GcsContext;
  readonly #access: Access;

  constructor(context: GcsContext, access: Access) {
    this.#context = context;
    this.#access = access;
  }

  identify(head: RequestHead): RequestIdentity {
    const { operation, bucket, key } = routeOf(head);
    return { operation, bucket, key };
  }

  async serve(exchange: Exchange): Promise<Answer> {
    try {
      return await this.#serve(exchange);
    } catch (error) {
      const known = error instanceof GcsError || error instanceof MemoryBudgetError;
      if (!known) throw error;
      return errorAnswer(error);
    }
  }

  scriptedAnswer(action: AnswerAction, head: RequestHead): Answer {
    const { status, code, message = 'Scripted failure', headers = {}, body } = action;
    if (body !== undefined) {
      const bytes = Buffer.from(body);
      return { status, headers: new Map(Object.entries(headers)), body: [bytes] };
    }
    if (status < 400) return emptyAnswer(status, headers);
    if (routeOf(head).operation === 'objects.download') {
      return textAnswer(status, message, {
        'Content-Type': 'text/html; charset=UTF-8',
        ...headers,
      });
    }
    return documentAnswer({ status, reason: code ?? reasonOf(status), message, headers });
  }

  unexpected(): Answer {
    return documentAnswer({ status: 500, reason: 'backendError', message: 'Defect of the stub' });
  }

  forgetUpload(head: RequestHead): void {
    this.#context.sessions.forget(routeOf(head).query.get('upload_id') ?? '');
  }

  async #serve(exchange: Exchange): Promise<Answer> {
    const { head } = exchange;
    const route = routeOf(head);
    const { operation } = route;
    try {
      this.#access.check(head, route);
      if (operation === 'token') return await this.#access.answerToken(exchange);
      if (operation === 'Unknown') throw notServed(head);
      const host = head.headers.get('host') ?? 'storage.googleapis.com';
      const call = { ...this.#context, route, exchange, baseUrl: `http://${host}` };
      return await HANDLERS[operation](call);
    } catch (error) {
      // Clients that are still sending would not hear the answer.
      if (error instanceof GcsError) await exchange.discardBody();
      throw error;
    }
  }
}

function notServed({ method, path }: RequestHead): GcsError {
  return new GcsError('notImplemented', `${method} ${path} is not served by this stub`);
}

function errorAnswer(error: GcsError | MemoryBudgetError): Answer {
  if (error instanceof MemoryBudgetError) {
    return documentAnswer({ status: 507, reason: 'quotaExceeded', message: error.message });
  }
  const { status, reason, message } = error;
  const headers = status === 401 ? { 'WWW-Authenticate': 'Bearer realm="stub"' } : {};
  return documentAnswer({ status, reason, message, headers });
}

function documentAnswer(options: {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}): Answer {
  return textAnswer(options.status, errorDocument(options), {
    'Content-Type': 'application/json; charset=UTF-8',
    ...options.headers,
  });
}
