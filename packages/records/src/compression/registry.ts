import { COMPRESSION, type CompressionName } from '../constants.ts';
import { UnsupportedCompressionError } from '../errors.ts';
import { loadOptionalPackage } from '../optional-package.ts';
import type { CompressionCodec } from './codec.ts';
import { gzip } from './gzip.ts';
import { lz4Codec } from './lz4.ts';
import { snappyCodec } from './snappy.ts';
import { zstd } from './zstd.ts';

const CODECS: readonly CompressionCodec[] = [
  gzip,
  snappyCodec(loadOptionalPackage),
  lz4Codec(loadOptionalPackage),
  zstd,
];
const BY_ID = new Map(CODECS.map((codec) => [codec.id, codec]));
const NAMES = new Map<number, CompressionName>([
  [COMPRESSION.none, 'none'],
  ...CODECS.map((codec): [number, CompressionName] => [codec.id, codec.name]),
]);

/**
 * The codec with an id of a batch's attributes.
 *
 * @throws UnsupportedCompressionError when the id is 0 (no compression) or not assigned
 */
export function codecOf(compressionId: number): CompressionCodec {
  const codec = BY_ID.get(compressionId);
  if (codec !== undefined) return codec;
  throw new UnsupportedCompressionError(
    compressionId,
    `Expected the id of a codec, 1 to 4, found ${compressionId}`,
  );
}

/** Name of a compression id, as in Kafka's `compression.type`; undefined where it is not assigned. */
export function compressionName(compressionId: number): CompressionName | undefined {
  return NAMES.get(compressionId);
}

/**
 * The codecs in which batches can be written here: gzip and zstd always, snappy and lz4 where their
 * optional packages are installed. All can be read in any case.
 */
export function writableCompressions(): readonly CompressionName[] {
  return CODECS.filter((codec) => codec.canCompress()).map((codec) => codec.name);
}
