import { type Answer, emptyAnswer } from '../http/answer.ts';
import { readUploadRange } from './content-range.ts';
import { bucketName, type GcsCall, jsonTextAnswer, required } from './gcs-call.ts';
import { GcsError } from './gcs-error.ts';
import { newSettings } from './insert-object.ts';
import { assertObjectName } from './names.ts';
import { assertChecksums, objectContent, readHashHeader } from './object-content.ts';
import { readObjectDocument } from './object-settings.ts';
import { assertMet, readPreconditions } from './preconditions.ts';
import { collectBody, readDocument } from './request-body.ts';
import { objectResource } from './resources.ts';
import type { UploadSession } from './upload-session.ts';

/** Opens a session. The preconditions are looked at now, and again when the object is made. */
export async function openUpload(call: GcsCall): Promise<Answer> {
  const { exchange, route, storage, sessions } = call;
  const { headers, target } = exchange.head;
  const preconditions = readPreconditions(route.query);
  const document = readObjectDocument(await readDocument(exchange));
  const name = route.query.get('name') ?? document.name;
  assertObjectName(name);
  const bucket = bucketName(call);
  assertMet(preconditions, storage.peek(bucket, name));
  const session = sessions.open({
    bucket,
    name,
    settings: newSettings(document, headers.get('x-upload-content-type')),
    checksums: { crc32c: document.crc32c, md5Hash: document.md5Hash },
    preconditions,
    size: readSize(headers.get('x-upload-content-length')),
  });
  // The name goes along, so that failure scripts know the object by each request's line alone.
  const named = route.query.has('name') ? '' : `&name=${encodeURIComponent(name)}`;
  return emptyAnswer(200, {
    Location: `${call.baseUrl}${target}${named}&upload_id=${session.id}`,
    'X-GUploader-UploadID': session.id,
  });
}

/** Takes bytes, or is asked how many there are. */
export async function continueUpload(call: GcsCall): Promise<Answer> {
  const { budget, exchange, sessions } = call;
  const { headers } = exchange.head;
  const { bytes, cut } = await collectBody(exchange, budget);
  let excess = bytes.size;
  try {
    const session = findSession(call);
    if (session.result !== undefined) return jsonTextAnswer(session.result);
    const before = session.receivedBytes;
    const range = readUploadRange(headers.get('content-range'));
    const complete = session.append({ range, bytes, whole: cut === undefined });
    excess -= session.receivedBytes - before;
    if (cut !== undefined) throw cut;
    if (!complete) return incompleteAnswer(session);
    try {
      return jsonTextAnswer(makeObject(call, session));
    } catch (error) {
      // A session whose object was refused takes nothing any more.
      sessions.forget(session.id);
      throw error;
    }
  } finally {
    budget.release(excess);
  }
}

/** Gives a session up. The service answers this with an error status, too. */
export async function cancelUpload(call: GcsCall): Promise<Answer> {
  await call.exchange.discardBody();
  const session = findSession(call);
  if (session.result !== undefined) {
    throw new GcsError('notFound', 'The upload is complete, there is nothing to cancel');
  }
  call.sessions.cancel(session);
  return emptyAnswer(499);
}

function findSession({ route, sessions }: GcsCall): UploadSession {
  return sessions.find(required(route.query.get('upload_id'), 'upload_id'));
}

/** Returns the object's document. */
function makeObject(call: GcsCall, session: UploadSession): string {
  const { bucket, name, settings, checksums, preconditions } = session.plan;
  const content = objectContent(session.content());
  assertChecksums(content, checksums);
  assertChecksums(content, readHashHeader(call.exchange.head.headers.get('x-goog-hash')));
  const object = call.storage.write({ bucket, name, content, settings, preconditions });
  const result = JSON.stringify(objectResource(object, call.baseUrl));
  session.finish(result);
  return result;
}

/** No `Range` as long as nothing is kept: byte 0 would be one byte. */
function incompleteAnswer({ receivedBytes, id }: UploadSession): Answer {
  const range = receivedBytes === 0 ? {} : { Range: `bytes=0-${receivedBytes - 1}` };
  return emptyAnswer(308, { ...range, 'X-GUploader-UploadID': id });
}

function readSize(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new GcsError('invalid', 'Invalid X-Upload-Content-Length header.');
}
