import { constants, gzipSync } from 'node:zlib';
import {
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  crc32c,
  LOG_OVERHEAD_BYTES,
} from '@logloft/records';

const MIB = 1024 * 1024;
const ZSTD_BLOCK_BYTES = 128 * 1024;
const ZSTD_BLOCKS = 32_000;
const GZIP_MEMBER_BYTES = 16 * MIB;
const GZIP_MEMBERS = 60;

/** A batch of few bytes whose records would be as many bytes as `expands`. */
export interface Bomb {
  readonly name: string;
  readonly batch: Buffer;
  readonly expands: number;
}

/**
 * Batches that are sound from outside, CRC and all, with two records by their header; inside is one
 * endless run of zeros.
 *
 * @param timestampMs the largest timestamp of each
 */
export function decompressionBombs(timestampMs: number): readonly Bomb[] {
  return [
    {
      name: 'zstd',
      batch: batchAround(zstdZeros(), COMPRESSION.zstd, timestampMs),
      expands: ZSTD_BLOCKS * ZSTD_BLOCK_BYTES,
    },
    {
      name: 'gzip',
      batch: batchAround(gzipZeros(), COMPRESSION.gzip, timestampMs),
      expands: GZIP_MEMBERS * GZIP_MEMBER_BYTES,
    },
  ];
}

/** One frame of blocks that each say "this byte, so often": 4 bytes for 128 KiB (RFC 8878). */
function zstdZeros(): Buffer {
  const magic = Buffer.from('28b52ffd', 'hex');
  // No content size, no checksum; a window of 1 MiB.
  const header = Buffer.from([0x00, 0x50]);
  const blocks = Buffer.alloc(ZSTD_BLOCKS * 4);
  for (let index = 0; index < ZSTD_BLOCKS; index += 1) {
    const isLast = index === ZSTD_BLOCKS - 1 ? 1 : 0;
    const runLengthEncoded = 1;
    blocks.writeUIntLE(isLast | (runLengthEncoded << 1) | (ZSTD_BLOCK_BYTES << 3), index * 4, 3);
  }
  return Buffer.concat([magic, header, blocks]);
}

/** Members one after the other, which count as one stream (RFC 1952). */
function gzipZeros(): Buffer {
  const member = gzipSync(Buffer.alloc(GZIP_MEMBER_BYTES), { level: constants.Z_BEST_COMPRESSION });
  return Buffer.concat(Array.from({ length: GZIP_MEMBERS }, () => member));
}

function batchAround(compressed: Buffer, compression: number, timestampMs: number): Buffer {
  const batch = Buffer.alloc(BATCH_HEADER_BYTES + compressed.length);
  compressed.copy(batch, BATCH_HEADER_BYTES);
  batch.writeInt32BE(batch.length - LOG_OVERHEAD_BYTES, BATCH_FIELD.batchLength);
  batch.writeInt32BE(-1, BATCH_FIELD.partitionLeaderEpoch);
  batch.writeInt8(2, BATCH_FIELD.magic);
  batch.writeInt16BE(compression, BATCH_FIELD.attributes);
  batch.writeInt32BE(1, BATCH_FIELD.lastOffsetDelta);
  batch.writeBigInt64BE(BigInt(timestampMs - 10), BATCH_FIELD.baseTimestamp);
  batch.writeBigInt64BE(BigInt(timestampMs), BATCH_FIELD.maxTimestamp);
  batch.writeBigInt64BE(-1n, BATCH_FIELD.producerId);
  batch.writeInt16BE(-1, BATCH_FIELD.producerEpoch);
  batch.writeInt32BE(-1, BATCH_FIELD.baseSequence);
  batch.writeInt32BE(2, BATCH_FIELD.recordCount);
  sealBatch(batch);
  return batch;
}

/** Writes the checksum that the rest of the batch has. */
export function sealBatch(batch: Buffer): void {
  batch.writeUInt32BE(crc32c(batch.subarray(BATCH_FIELD.attributes)), BATCH_FIELD.crc);
}
