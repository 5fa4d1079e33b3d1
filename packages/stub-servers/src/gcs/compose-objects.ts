import type { Answer } from '../http/answer.ts';
import { StoredBytes } from '../storage/stored-bytes.ts';
import { bucketName, type GcsCall, jsonAnswer, objectName } from './gcs-call.ts';
import { GcsError } from './gcs-error.ts';
import { newSettings } from './insert-object.ts';
import { assertChecksums, objectContent } from './object-content.ts';
import { readJsonObject, readObjectDocument } from './object-settings.ts';
import { assertMet, readPreconditions } from './preconditions.ts';
import { readDocument } from './request-body.ts';
import { objectResource } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

const MAX_SOURCES = 32;

/** Joins up to 32 objects of a bucket. The bytes are shared, but count as if they were not. */
export async function composeObject(call: GcsCall): Promise<Answer> {
  const { budget, exchange, route, storage } = call;
  const request = readJsonObject(await readDocument(exchange));
  const document = readObjectDocument(JSON.stringify(request.get('destination') ?? {}));
  const sources = readSources(request.get('sourceObjects')).map((source) => find(call, source));
  const bytes = StoredBytes.join(sources.map(({ content }) => content.bytes));
  budget.reserve(bytes.size);
  try {
    const content = objectContent(bytes, { composed: true });
    assertChecksums(content, document);
    const object = storage.write({
      bucket: bucketName(call),
      name: objectName(call),
      content,
      settings: newSettings(document, undefined),
      preconditions: readPreconditions(route.query),
      componentCount: sources.reduce((sum, { componentCount }) => sum + (componentCount ?? 1), 0),
    });
    return jsonAnswer(objectResource(object, call.baseUrl));
  } catch (error) {
    budget.release(bytes.size);
    throw error;
  }
}

interface ComposeSource {
  readonly name: string;
  readonly generation: string | undefined;
  readonly generationMatch: string | undefined;
}

function find(call: GcsCall, { name, generation, generationMatch }: ComposeSource): StoredObject {
  const object = call.storage.object(bucketName(call), name, generation);
  const query = new Map(
    generationMatch === undefined ? [] : [['ifGenerationMatch', generationMatch]],
  );
  assertMet(readPreconditions(query), object);
  return object;
}

function readSources(value: unknown): readonly ComposeSource[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new GcsError('required', 'You must provide at least one source component.');
  }
  if (value.length > MAX_SOURCES) {
    throw new GcsError(
      'invalid',
      `The number of source components provided (${value.length}) exceeds the maximum (${MAX_SOURCES})`,
    );
  }
  return value.map((entry: unknown) => {
    const source = asMap(entry);
    const name = source.get('name');
    if (typeof name !== 'string' || name === '') {
      throw new GcsError('required', 'A source component has no name.');
    }
    return {
      name,
      generation: decimal(source.get('generation')),
      generationMatch: decimal(asMap(source.get('objectPreconditions')).get('ifGenerationMatch')),
    };
  });
}

function asMap(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** The service takes its 64-bit numbers as texts and as numbers. */
function decimal(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
