import { type Answer, emptyAnswer } from '../http/answer.ts';
import { bucketName, type GcsCall, jsonAnswer, objectName } from './gcs-call.ts';
import { listObjects as listPage, readListQuery } from './list-objects.ts';
import { applyDocument, NO_SETTINGS, readObjectDocument } from './object-settings.ts';
import { assertMet, readPreconditions, wholeNumber } from './preconditions.ts';
import { readDocument } from './request-body.ts';
import { listResource, objectResource } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

/** A page of a bucket's objects. */
export async function listObjects(call: GcsCall): Promise<Answer> {
  const { objects } = call.storage.bucket(bucketName(call));
  return jsonAnswer(listResource(listPage(objects, readListQuery(call.route.query)), call.baseUrl));
}

/** Deletes an object; a second time it is not found. */
export async function deleteObject(call: GcsCall): Promise<Answer> {
  await call.exchange.discardBody();
  call.storage.delete(findObject(call));
  return emptyAnswer(204);
}

/** Changes the settings that the document names, and leaves the others. */
export async function patchObject(call: GcsCall): Promise<Answer> {
  const document = readObjectDocument(await readDocument(call.exchange));
  const object = findObject(call);
  const patched = call.storage.resettle(object, applyDocument(object.settings, document));
  return jsonAnswer(objectResource(patched, call.baseUrl));
}

/** Puts the document's settings in the place of all that were. */
export async function updateObject(call: GcsCall): Promise<Answer> {
  const document = readObjectDocument(await readDocument(call.exchange));
  const object = findObject(call);
  const updated = call.storage.resettle(object, applyDocument(NO_SETTINGS, document));
  return jsonAnswer(objectResource(updated, call.baseUrl));
}

/** The object that a change is for, if its preconditions hold. */
function findObject(call: GcsCall): StoredObject {
  const { query } = call.route;
  const generation = wholeNumber(query, 'generation');
  const object = call.storage.object(bucketName(call), objectName(call), generation);
  assertMet(readPreconditions(query), object);
  return object;
}
