import { GcsError } from './gcs-error.ts';

/** What a writer may set of an object, as the JSON API names it. Texts, but for the two holds. */
const TEXT_FIELDS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
  'storageClass',
  'customTime',
] as const;
const FLAG_FIELDS = ['temporaryHold', 'eventBasedHold'] as const;

/** The name of a field that a writer may set. */
export type SettingName = (typeof TEXT_FIELDS)[number] | (typeof FLAG_FIELDS)[number];

/** What the writer of an object set: the service's own fields, and those it invented. */
export interface ObjectSettings {
  readonly fields: ReadonlyMap<SettingName, string | boolean>;
  /** Custom metadata. A map, as names such as `__proto__` are as good as others. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** A document of an upload, a copy or a patch. */
export interface ObjectDocument {
  readonly name: string | undefined;
  readonly crc32c: string | undefined;
  readonly md5Hash: string | undefined;
  /** `null` takes the field away. */
  readonly fields: ReadonlyMap<SettingName, string | boolean | null>;
  /** `null` takes all of it away, a `null` within takes one. */
  readonly metadata: ReadonlyMap<string, string | null> | null | undefined;
}

/** Nothing set. */
export const NO_SETTINGS: ObjectSettings = Object.freeze({
  fields: new Map(),
  metadata: new Map(),
});

/** Most bytes that the names and values of custom metadata may have, as the service has it; the fields alike. */
const MAX_SETTINGS_BYTES = 8 * 1024;
const MAX_CHECKSUM_CHARACTERS = 64;

/**
 * Reads a document that came with a request; an absent one is empty. Fields that this server does
 * not keep are passed over.
 *
 * @throws GcsError `parseError` when it is no JSON object, `invalid` for a field of the wrong type
 */
export function readObjectDocument(text: string): ObjectDocument {
  const json = readJsonObject(text);
  const fields = new Map<SettingName, string | boolean | null>();
  for (const name of TEXT_FIELDS) {
    const value = json.get(name);
    if (value !== undefined) fields.set(name, value === null ? null : textOf(name, value));
  }
  for (const name of FLAG_FIELDS) {
    const value = json.get(name);
    if (value !== undefined) fields.set(name, value === true);
  }
  return {
    name: optionalText(json, 'name'),
    crc32c: checksumText(json, 'crc32c'),
    md5Hash: checksumText(json, 'md5Hash'),
    fields,
    metadata: readMetadata(json.get('metadata')),
  };
}

/** @throws GcsError `parseError` when the text is neither blank nor a JSON object */
export function readJsonObject(text: string): ReadonlyMap<string, unknown> {
  if (text.trim() === '') return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GcsError('parseError', 'Parse Error');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GcsError('parseError', 'The document is not a JSON object');
  }
  return new Map(Object.entries(value));
}

/** `settings` with a document laid over them, as a patch does it. @throws GcsError `invalid` */
export function applyDocument(settings: ObjectSettings, document: ObjectDocument): ObjectSettings {
  const fields = new Map(settings.fields);
  for (const [name, value] of document.fields) {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
  }
  assertFits('Fields set', fields);
  if (document.metadata === undefined) return { fields, metadata: settings.metadata };
  const metadata = new Map(document.metadata === null ? [] : settings.metadata);
  for (const [name, value] of document.metadata ?? []) {
    if (value === null) metadata.delete(name);
    else metadata.set(name, value);
  }
  assertFits('Custom metadata', metadata);
  return { fields, metadata };
}

function assertFits(what: string, entries: ReadonlyMap<string, string | boolean>): void {
  let bytes = 0;
  for (const [name, value] of entries) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(String(value));
  }
  if (bytes <= MAX_SETTINGS_BYTES) return;
  throw new GcsError(
    'invalid',
    `${what}: ${bytes} bytes, more than the ${MAX_SETTINGS_BYTES} allowed`,
  );
}

function readMetadata(value: unknown): ObjectDocument['metadata'] {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new GcsError('invalid', 'metadata is not an object');
  }
  const metadata = new Map<string, string | null>();
  for (const [name, entry] of Object.entries(value)) {
    metadata.set(name, entry === null ? null : textOf(`metadata.${name}`, entry));
  }
  return metadata;
}

function optionalText(json: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = json.get(name);
  return value === undefined || value === null ? undefined : textOf(name, value);
}

function checksumText(json: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const text = optionalText(json, name);
  if (text === undefined || text.length <= MAX_CHECKSUM_CHARACTERS) return text;
  throw new GcsError('invalid', `Invalid value for ${name}`);
}

/** The service takes numbers and booleans for texts, too. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new GcsError('invalid', `Invalid value for ${name}`);
}
