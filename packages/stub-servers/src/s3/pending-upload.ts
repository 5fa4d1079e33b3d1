import type { StoredBytes } from '../storage/stored-bytes.ts';
import type { ChecksumAlgorithm, ObjectChecksum } from './checksum.ts';

/** A part of an unfinished upload. */
export interface UploadedPart {
  readonly partNumber: number;
  readonly bytes: StoredBytes;
  /** The MD5 in hexadecimal, without quotes. */
  readonly etag: string;
  readonly lastModifiedMs: number;
  readonly checksum: ObjectChecksum | undefined;
}

/** The checksum that an upload was begun with. */
export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ObjectChecksum['type'];
}

/** An upload in parts that is neither completed nor aborted. */
export interface PendingUpload {
  readonly uploadId: string;
  readonly key: string;
  readonly initiatedMs: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly checksum: UploadChecksum | undefined;
  /** By part number. */
  readonly parts: Map<number, UploadedPart>;
}

/** The parts of an upload in the order of their numbers. */
export function partsInOrder(upload: PendingUpload): readonly UploadedPart[] {
  return [...upload.parts.values()].sort((a, b) => a.partNumber - b.partNumber);
}
