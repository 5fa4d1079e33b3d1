import { readFile } from 'node:fs/promises';
import { BatchCursor, compressionName, compressionOf } from '@logloft/records';

/** Batches of one compression. */
export interface BatchCount {
  readonly batches: number;
  /** Of the largest. */
  readonly maxBytes: number;
}

/**
 * Batches of segment files by the name of their compression.
 *
 * @throws CorruptBatchError for bytes that are no batches, Error for a file that ends within one
 */
export async function compressionsIn(
  files: readonly string[],
): Promise<ReadonlyMap<string, BatchCount>> {
  const counts = new Map<string, BatchCount>();
  for (const file of files) {
    const cursor = new BatchCursor(await readFile(file));
    while (cursor.next()) {
      const name = compressionName(compressionOf(cursor.header)) ?? 'unknown';
      const { batches, maxBytes } = counts.get(name) ?? { batches: 0, maxBytes: 0 };
      counts.set(name, {
        batches: batches + 1,
        maxBytes: Math.max(maxBytes, cursor.header.sizeInBytes),
      });
    }
    if (cursor.tailBytes > 0) throw new Error(`${file} ends within a batch`);
  }
  return counts;
}
