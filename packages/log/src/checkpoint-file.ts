import { dirname } from 'node:path';
import { LogCorruptError } from './errors.ts';
import type { FileSystem } from './store/file-system.ts';

const VERSION = '0';

/** Prints lines in Kafka's checkpoint format: the version, their number, then they. */
export function printCheckpoint(lines: readonly string[]): string {
  return [VERSION, lines.length.toString(), ...lines, ''].join('\n');
}

/**
 * Takes the fields of each line out of a checkpoint.
 *
 * @throws LogCorruptError when version, number or form of the lines are not as they must be
 */
export function parseCheckpoint(text: string, fieldsPerLine: number): string[][] {
  const [version, count, ...rest] = text.split('\n');
  if (version !== VERSION) {
    throw new LogCorruptError(`Expected a checkpoint of version ${VERSION}, found "${version}"`);
  }
  const lines = rest.filter((line) => line !== '');
  if (count !== lines.length.toString()) {
    throw new LogCorruptError(`A checkpoint announces ${count} lines and has ${lines.length}`);
  }
  return lines.map((line) => {
    const fields = line.split(' ');
    if (fields.length !== fieldsPerLine) {
      throw new LogCorruptError(
        `Expected ${fieldsPerLine} fields in a checkpoint, found "${line}"`,
      );
    }
    return fields;
  });
}

/**
 * A whole number out of a checkpoint's field.
 *
 * @throws LogCorruptError when it is none within the safe integers
 */
export function parseCheckpointNumber(field: string | undefined): number {
  const value = field !== undefined && /^-?\d+$/.test(field) ? Number(field) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw new LogCorruptError(`Expected a whole number in a checkpoint, found "${field}"`);
  }
  return value;
}

/**
 * Replaces a file so that after a crash at any moment either the old or the new content is there:
 * a temporary file, synced, renamed over it, and the directory synced. Of one path at a time.
 */
export async function replaceFile(fs: FileSystem, path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  await fs.writeFile(temporary, Buffer.from(text));
  await fs.rename(temporary, path);
  await fs.syncDirectory(dirname(path));
}

/** Offsets by topic, then partition. */
export type OffsetCheckpoint = Map<string, Map<number, number>>;

/** Prints `topic partition offset` lines. */
export function printOffsetCheckpoint(offsets: OffsetCheckpoint): string {
  const lines: string[] = [];
  for (const [topic, partitions] of offsets) {
    for (const [partition, offset] of partitions) lines.push(`${topic} ${partition} ${offset}`);
  }
  return printCheckpoint(lines);
}

/** @throws LogCorruptError when the text is no offset checkpoint */
export function parseOffsetCheckpoint(text: string): OffsetCheckpoint {
  const offsets: OffsetCheckpoint = new Map();
  for (const [topic, partition, offset] of parseCheckpoint(text, 3)) {
    if (topic === undefined) continue;
    let partitions = offsets.get(topic);
    if (partitions === undefined) {
      partitions = new Map();
      offsets.set(topic, partitions);
    }
    partitions.set(parseCheckpointNumber(partition), parseCheckpointNumber(offset));
  }
  return offsets;
}
