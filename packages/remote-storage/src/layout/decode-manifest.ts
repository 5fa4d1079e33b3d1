import { RemoteStorageError } from '../errors.ts';
import type { ChunkIndex } from './chunk-index.ts';
import { parseChunkSizesText } from './chunk-sizes.ts';
import { FixedChunkIndex } from './fixed-chunk-index.ts';
import { MAX_CHUNK_BYTES } from './log-cut.ts';
import type { IndexPlace, SegmentEncryption, SegmentIndexes, SegmentManifest } from './manifest.ts';
import { VariableChunkIndex } from './variable-chunk-index.ts';

const MAX_INT32 = 2_147_483_647;
const MAX_AAD_BYTES = 64 * 1024;

type Fields = ReadonlyMap<string, unknown>;

// All properties that version 1 has. Another one may be one of them with a bit turned: without it, an
// encrypted segment would pass for one that is not.
const ROOT = [
  'version',
  'chunkIndex',
  'segmentIndexes',
  'compression',
  'encryption',
  'remoteLogSegmentMetadata',
];
const CUT = ['type', 'originalChunkSize', 'originalFileSize'];
const FIXED = [...CUT, 'transformedChunkSize', 'finalTransformedChunkSize'];
const VARIABLE = [...CUT, 'transformedChunks'];
const INDEXES = ['offset', 'timestamp', 'producerSnapshot', 'leaderEpoch', 'transaction'];

/**
 * Reads a manifest, its own or one that Aiven's plugin wrote. What it says of the segment's metadata
 * is not looked at: the catalogue knows better.
 *
 * @param key of the object, for the message
 * @throws RemoteStorageError `corrupt` when it is no manifest of version 1, or contradicts itself
 */
export function decodeManifest(bytes: Uint8Array, key?: string): SegmentManifest {
  try {
    return manifestOf(record(parse(bytes), 'the manifest'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const object = key === undefined ? '' : ` in ${JSON.stringify(key)}`;
    throw new RemoteStorageError(
      'corrupt',
      `Not a manifest that can be read${object}: ${problem}. The segment is lost unless this object is ` +
        'restored; if it is not, delete the segment',
      { cause: error, key },
    );
  }
}

function manifestOf(root: Fields): SegmentManifest {
  const version = root.get('version');
  if (version !== '1') throw corrupt(`version "1" was expected, found ${shown(version)}`);
  assertKnown(root, ROOT);
  const isCompressed = root.get('compression');
  if (typeof isCompressed !== 'boolean') {
    throw corrupt(`compression is ${shown(isCompressed)}, expected true or false`);
  }
  const chunkIndex = chunkIndexOf(record(root.get('chunkIndex'), 'chunkIndex'));
  const segmentIndexes = indexesOf(record(root.get('segmentIndexes'), 'segmentIndexes'));
  const encryption = root.get('encryption');
  if (encryption === undefined || encryption === null) {
    return { chunkIndex, segmentIndexes, isCompressed };
  }
  return {
    chunkIndex,
    segmentIndexes,
    isCompressed,
    encryption: encryptionOf(record(encryption, 'encryption')),
  };
}

function chunkIndexOf(chunks: Fields): ChunkIndex {
  const cut = {
    originalChunkSize: size(chunks, 'originalChunkSize', { min: 1, max: MAX_CHUNK_BYTES }),
    originalFileSize: size(chunks, 'originalFileSize'),
  };
  const type = chunks.get('type');
  if (type === 'fixed') {
    assertKnown(chunks, FIXED);
    return new FixedChunkIndex({
      ...cut,
      transformedChunkSize: size(chunks, 'transformedChunkSize'),
      finalTransformedChunkSize: size(chunks, 'finalTransformedChunkSize'),
    });
  }
  if (type === 'variable') {
    assertKnown(chunks, VARIABLE);
    const text = chunks.get('transformedChunks');
    if (typeof text !== 'string') throw corrupt('chunkIndex.transformedChunks is no text');
    return new VariableChunkIndex(cut, parseChunkSizesText(text));
  }
  throw corrupt(`chunkIndex.type is ${shown(type)}, expected "fixed" or "variable"`);
}

function indexesOf(indexes: Fields): SegmentIndexes {
  assertKnown(indexes, INDEXES);
  if (!indexes.has('transaction')) throw corrupt('segmentIndexes.transaction is missing');
  return {
    offset: place(indexes, 'offset'),
    timestamp: place(indexes, 'timestamp'),
    producerSnapshot: place(indexes, 'producerSnapshot'),
    leaderEpoch: place(indexes, 'leaderEpoch'),
    transaction: indexes.get('transaction') === null ? null : place(indexes, 'transaction'),
  };
}

function encryptionOf(fields: Fields): SegmentEncryption {
  assertKnown(fields, ['dataKey', 'aad']);
  const dataKey = fields.get('dataKey');
  const aad = fields.get('aad');
  if (typeof dataKey !== 'string') throw corrupt('encryption.dataKey is no text');
  if (typeof aad !== 'string') throw corrupt('encryption.aad is no text');
  const bytes = Buffer.from(aad, 'base64');
  if (bytes.toString('base64') !== aad) throw corrupt('encryption.aad is no base64');
  if (bytes.byteLength > MAX_AAD_BYTES) {
    throw corrupt(
      `encryption.aad has ${bytes.byteLength} bytes, at most ${MAX_AAD_BYTES} are read`,
    );
  }
  return { dataKey, aad: new Uint8Array(bytes) };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw corrupt('it is no JSON text', error);
  }
}

function record(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw corrupt(`${name} is no object`);
  }
  return new Map(Object.entries(value));
}

function assertKnown(fields: Fields, known: readonly string[]): void {
  const unknown = [...fields.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw corrupt(`${shown(unknown)} is no property of version 1`);
}

function place(indexes: Fields, name: string): IndexPlace {
  const found = record(indexes.get(name), `segmentIndexes.${name}`);
  assertKnown(found, ['position', 'size']);
  const position = size(found, 'position');
  const bytes = size(found, 'size');
  if (position + bytes > MAX_INT32) throw corrupt(`segmentIndexes.${name} ends beyond 2^31 - 1`);
  return { position, size: bytes };
}

function size(
  fields: Fields,
  name: string,
  { min, max }: { readonly min: number; readonly max: number } = { min: 0, max: MAX_INT32 },
): number {
  const value = fields.get(name);
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw corrupt(`${name} is ${shown(value)}, expected an integer from ${min} to ${max}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100);
}

function corrupt(problem: string, cause?: unknown): RemoteStorageError {
  return new RemoteStorageError('corrupt', problem, { cause });
}
