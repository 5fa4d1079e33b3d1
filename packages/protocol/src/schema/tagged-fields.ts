import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { ValueCodec } from './value-codec.ts';

/** A field that is on the wire only when it is not its default, under its number (KIP-482). */
export interface TaggedField {
  readonly name: string;
  readonly tag: number;
  readonly default: unknown;
  readonly codec: ValueCodec;
}

/**
 * Reads the tagged fields at the end of a struct into `target`. Unknown ones are passed over by their
 * size. Tags must ascend, as the protocol demands, so none comes twice.
 */
export function readTaggedFields(
  reader: ByteReader,
  target: Record<string, unknown>,
  known: readonly TaggedField[],
): void {
  let previous = -1;
  for (let left = reader.readUnsignedVarint(); left > 0; left--) {
    const tag = reader.readUnsignedVarint();
    if (tag <= previous) throw reader.malformed(`tag ${tag} follows tag ${previous}`);
    previous = tag;
    const size = reader.readUnsignedVarint();
    const field = known.find((candidate) => candidate.tag === tag);
    if (field === undefined) {
      reader.skip(size);
      continue;
    }
    const outer = reader.enter(size);
    target[field.name] = field.codec.read(reader);
    reader.leave(outer);
  }
}

/** Writes those of the tagged fields that are not their default, after their count. */
export function writeTaggedFields(
  writer: ByteWriter,
  source: Readonly<Record<string, unknown>>,
  known: readonly TaggedField[],
): void {
  if (known.length === 0) {
    writer.writeUnsignedVarint(0);
    return;
  }
  const present = known.filter((field) => !isDefault(source[field.name], field.default));
  writer.writeUnsignedVarint(present.length);
  for (const field of present) {
    writer.writeUnsignedVarint(field.tag);
    const mark = writer.beginSized();
    field.codec.write(writer, source[field.name]);
    writer.endSized(mark);
  }
}

/** Passes over tagged fields of which none is known, as those of the headers. */
export function skipTaggedFields(reader: ByteReader): void {
  readTaggedFields(reader, {}, []);
}

function isDefault(value: unknown, fallback: unknown): boolean {
  if (value === fallback) return true;
  return Array.isArray(fallback) && Array.isArray(value) && value.length === 0;
}
