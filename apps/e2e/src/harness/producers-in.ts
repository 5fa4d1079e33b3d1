import { readFile } from 'node:fs/promises';
import { BatchCursor } from '@logloft/records';

/**
 * Producers of the batches in segment files, by id, each with the sequence number that follows; -1 is
 * the id of those that are not idempotent.
 *
 * @throws Error when the sequence numbers of a producer do not follow one another
 */
export async function producersIn(files: readonly string[]): Promise<ReadonlyMap<number, number>> {
  const next = new Map<number, number>();
  for (const file of files) {
    const cursor = new BatchCursor(await readFile(file));
    while (cursor.next()) {
      const { producerId, baseSequence, recordCount } = cursor.header;
      const expected = next.get(producerId) ?? 0;
      if (producerId >= 0 && baseSequence !== expected) {
        throw new Error(`producer ${producerId}: sequence ${baseSequence} follows ${expected - 1}`);
      }
      next.set(producerId, expected + recordCount);
    }
  }
  return next;
}
