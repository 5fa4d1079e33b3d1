import type { Answer } from '../http/answer.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import { bucketName, type GcsCall, jsonAnswer } from './gcs-call.ts';
import { GcsError } from './gcs-error.ts';
import { splitRelated } from './multipart-related.ts';
import { assertChecksums, objectContent, readHashHeader } from './object-content.ts';
import {
  applyDocument,
  NO_SETTINGS,
  type ObjectDocument,
  type ObjectSettings,
  readObjectDocument,
} from './object-settings.ts';
import { readPreconditions } from './preconditions.ts';
import { collectWholeBody } from './request-body.ts';
import { objectResource } from './resources.ts';

/** An upload in one request: with a document (`multipart`), or of the content alone (`media`). */
export async function insertObject(call: GcsCall): Promise<Answer> {
  const { budget, exchange, storage, route } = call;
  const preconditions = readPreconditions(route.query);
  const body = await collectWholeBody(exchange, budget);
  // What is no content, be it the parts' headers or all of a refused request, is given back.
  let excess = body.size;
  try {
    const upload = readUpload(call, body);
    const content = objectContent(upload.content);
    assertChecksums(content, upload.document);
    assertChecksums(content, readHashHeader(exchange.head.headers.get('x-goog-hash')));
    const object = storage.write({
      bucket: bucketName(call),
      name: route.query.get('name') ?? upload.document.name ?? '',
      content,
      settings: newSettings(upload.document, upload.contentType),
      preconditions,
    });
    excess -= content.bytes.size;
    return jsonAnswer(objectResource(object, call.baseUrl));
  } finally {
    budget.release(excess);
  }
}

/** What a new object has set: its document, and the content's type where that says none. */
export function newSettings(
  document: ObjectDocument,
  contentType: string | undefined,
): ObjectSettings {
  const settings = applyDocument(NO_SETTINGS, document);
  const type = settings.fields.get('contentType') ?? contentType ?? 'application/octet-stream';
  return { ...settings, fields: new Map([...settings.fields, ['contentType', type]]) };
}

interface Upload {
  readonly document: ObjectDocument;
  readonly content: StoredBytes;
  readonly contentType: string | undefined;
}

function readUpload({ exchange, route }: GcsCall, body: StoredBytes): Upload {
  const type = route.query.get('uploadType');
  const contentType = exchange.head.headers.get('content-type');
  if (type === 'media') {
    const contentEncoding = route.query.get('contentEncoding');
    const document = readObjectDocument(JSON.stringify({ contentEncoding }));
    return { document, content: body, contentType };
  }
  if (type !== 'multipart') {
    throw new GcsError('invalid', `Invalid value ${JSON.stringify(type ?? '')} for uploadType`);
  }
  const parts = splitRelated(contentType, body);
  return {
    document: readObjectDocument(parts.document),
    content: parts.content,
    contentType: parts.contentType,
  };
}
