import type { Answer } from '../http/answer.ts';
import { bucketName, type GcsCall, jsonAnswer, objectName, required } from './gcs-call.ts';
import {
  applyDocument,
  NO_SETTINGS,
  type ObjectDocument,
  type ObjectSettings,
  readObjectDocument,
} from './object-settings.ts';
import { assertMet, readPreconditions, wholeNumber } from './preconditions.ts';
import { readDocument } from './request-body.ts';
import { objectResource } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

/** Copies within the stub, always in one call. */
export async function rewriteObject(call: GcsCall): Promise<Answer> {
  const { object } = await copy(call);
  const size = String(object.content.bytes.size);
  return jsonAnswer({
    kind: 'storage#rewriteResponse',
    totalBytesRewritten: size,
    objectSize: size,
    done: true,
    resource: objectResource(object, call.baseUrl),
  });
}

/** The same by its older name. */
export async function copyObject(call: GcsCall): Promise<Answer> {
  const { object } = await copy(call);
  return jsonAnswer(objectResource(object, call.baseUrl));
}

/** Gives an object another name, in one step. */
export async function moveObject(call: GcsCall): Promise<Answer> {
  const { object, source } = await copy(call);
  if (object.name !== source.name) call.storage.delete(source);
  return jsonAnswer(objectResource(object, call.baseUrl));
}

interface Copied {
  readonly source: StoredObject;
  readonly object: StoredObject;
}

/** The bytes are shared, but count as if they were not. */
async function copy(call: GcsCall): Promise<Copied> {
  const { budget, route, storage } = call;
  const { query } = route;
  const document = readObjectDocument(await readDocument(call.exchange));
  const generation = wholeNumber(query, 'sourceGeneration');
  const source = storage.object(bucketName(call), objectName(call), generation);
  assertMet(readPreconditions(query, 'ifSource'), source);
  const { size } = source.content.bytes;
  budget.reserve(size);
  try {
    const object = storage.write({
      bucket: required(route.target?.bucket, 'destinationBucket'),
      name: required(route.target?.key, 'destinationObject'),
      content: source.content,
      settings: copiedSettings(source.settings, document),
      preconditions: readPreconditions(query),
      componentCount: source.componentCount,
    });
    return { source, object };
  } catch (error) {
    budget.release(size);
    throw error;
  }
}

/** A document with anything in it replaces what the source has set, all but the content's type. */
function copiedSettings(source: ObjectSettings, document: ObjectDocument): ObjectSettings {
  if (document.fields.size === 0 && document.metadata === undefined) return source;
  const settings = applyDocument(NO_SETTINGS, document);
  const contentType = settings.fields.get('contentType') ?? source.fields.get('contentType');
  if (contentType === undefined) return settings;
  return { ...settings, fields: new Map([...settings.fields, ['contentType', contentType]]) };
}
