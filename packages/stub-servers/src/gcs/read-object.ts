import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Answer, emptyAnswer, textAnswer } from '../http/answer.ts';
import { resolveRange } from '../http/byte-range.ts';
import { httpTime } from '../http/civil-time.ts';
import { bucketName, type GcsCall, jsonAnswer, objectName } from './gcs-call.ts';
import { GcsError } from './gcs-error.ts';
import type { SettingName } from './object-settings.ts';
import { assertMet, judge, readPreconditions, wholeNumber } from './preconditions.ts';
import { objectResource } from './resources.ts';
import { etagOf, type StoredObject } from './stored-object.ts';

const decompress = promisify(gunzip);

/** An object's document. */
export async function getObject(call: GcsCall): Promise<Answer> {
  const object = findObject(call);
  const refused = judgeRead(call, object);
  return refused ?? jsonAnswer(objectResource(object, call.baseUrl), { ETag: etagOf(object) });
}

/** An object's content, whole or a range of it; errors are plain text here. */
export async function downloadObject(call: GcsCall): Promise<Answer> {
  try {
    const object = findObject(call);
    const refused = judgeRead(call, object);
    if (refused !== undefined) return refused;
    return isUnpacked(call, object)
      ? await unpackedAnswer(call, object)
      : contentAnswer(call, object);
  } catch (error) {
    if (!(error instanceof GcsError)) throw error;
    return textAnswer(error.status, error.message, { 'Content-Type': 'text/html; charset=UTF-8' });
  }
}

function findObject(call: GcsCall): StoredObject {
  const generation = wholeNumber(call.route.query, 'generation');
  return call.storage.object(bucketName(call), objectName(call), generation);
}

/** The answer when a condition fails, be it of the query or an HTTP one. */
function judgeRead(call: GcsCall, object: StoredObject): Answer | undefined {
  const { headers } = call.exchange.head;
  const etag = etagOf(object);
  const conditions = readPreconditions(call.route.query);
  const noneMatch = headers.get('if-none-match');
  if (
    judge(conditions, object) === 'unchanged' ||
    (noneMatch !== undefined && lists(noneMatch, etag))
  ) {
    return emptyAnswer(304, { ETag: etag });
  }
  assertMet(conditions, object);
  const match = headers.get('if-match');
  if (match === undefined || lists(match, etag)) return undefined;
  throw new GcsError('conditionNotMet', 'Precondition Failed');
}

function lists(header: string, etag: string): boolean {
  return header.split(',').some((entry) => {
    const tag = entry.trim().replace(/^"(.*)"$/, '$1');
    return tag === etag || tag === '*';
  });
}

function contentAnswer(call: GcsCall, object: StoredObject): Answer {
  const { bytes } = object.content;
  const range = resolveRange(call.exchange.head.headers.get('range'), bytes.size);
  if (range === 'unsatisfiable') {
    throw new GcsError('requestedRangeNotSatisfiable', 'Request range not satisfiable');
  }
  const headers = new Map(Object.entries(contentHeaders(object)));
  if (range === undefined) return { status: 200, headers, body: bytes.pieces };
  headers.set('Content-Range', `bytes ${range.start}-${range.end}/${bytes.size}`);
  return { status: 206, headers, body: bytes.slice(range.start, range.end + 1).pieces };
}

/** An object stored in gzip goes out unpacked to a client that does not say it can do that itself. */
function isUnpacked(call: GcsCall, { settings }: StoredObject): boolean {
  const accepted = call.exchange.head.headers.get('accept-encoding') ?? '';
  return settings.fields.get('contentEncoding') === 'gzip' && !/\bgzip\b/i.test(accepted);
}

/** Ranges do not hold for it, as the service has it. It may be as long as what the stub may hold. */
async function unpackedAnswer(call: GcsCall, object: StoredObject): Promise<Answer> {
  const headers = new Map(Object.entries(contentHeaders(object)));
  headers.delete('Content-Encoding');
  headers.set('Warning', '214 UploadServer gunzipped');
  try {
    const whole = await decompress(object.content.bytes.toBuffer(), {
      maxOutputLength: call.budget.maxBytes,
    });
    return { status: 200, headers, body: [whole] };
  } catch {
    throw new GcsError('backendError', 'The stored content is not gzip, or unpacks to too much');
  }
}

const HEADERS: readonly (readonly [SettingName, string])[] = [
  ['contentType', 'Content-Type'],
  ['contentEncoding', 'Content-Encoding'],
  ['contentLanguage', 'Content-Language'],
  ['contentDisposition', 'Content-Disposition'],
  ['cacheControl', 'Cache-Control'],
];

function contentHeaders(object: StoredObject): Readonly<Record<string, string>> {
  const { content, settings, generation, metageneration } = object;
  const md5 = content.md5Hash === undefined ? '' : `,md5=${content.md5Hash}`;
  const own = HEADERS.flatMap(([name, header]) => {
    const value = settings.fields.get(name);
    return value === undefined ? [] : [[header, headerText(String(value))] as const];
  });
  return {
    ...Object.fromEntries(own),
    ETag: etagOf(object),
    'Last-Modified': httpTime(object.updatedAtMs),
    'Accept-Ranges': 'bytes',
    'x-goog-generation': String(generation),
    'x-goog-metageneration': String(metageneration),
    'x-goog-hash': `crc32c=${content.crc32c}${md5}`,
    'x-goog-stored-content-length': String(content.bytes.size),
    // Without this one clients skip their own check of the content.
    'x-goog-stored-content-encoding': headerText(
      String(settings.fields.get('contentEncoding') ?? 'identity'),
    ),
    'x-goog-storage-class': headerText(String(settings.fields.get('storageClass') ?? 'STANDARD')),
  };
}

/** What a client set may hold characters that no header can. */
function headerText(value: string): string {
  return value.replace(/[^\t\x20-\x7e]/g, '?');
}
