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
  let present = 0;
  for (const field of known) if (!isDefault(source[field.name], field.default)) present++;
  writer.writeUnsignedVarint(present);
  if (present > 0) writePresent(writer, source, known);
}

/** Passes over tagged fields of which none is known, as those of the headers. */
export function skipTaggedFields(reader: ByteReader): void {
  readTaggedFields(reader, {}, []);
}

function writePresent(
  writer: ByteWriter,
  source: Readonly<Record<string, unknown>>,
  known: readonly TaggedField[],
): void {
  for (const field of known) {
    const value = source[field.name];
    if (isDefault(value, field.default)) continue;
    writer.writeUnsignedVarint(field.tag);
    const mark = writer.beginSized();
    field.codec.write(writer, value);
    writer.endSized(mark);
  }
}

function isDefault(value: unknown, fallback: unknown): boolean {
  if (value === fallback) return true;
  return Array.isArray(fallback) && Array.isArray(value) && value.length === 0;
}
