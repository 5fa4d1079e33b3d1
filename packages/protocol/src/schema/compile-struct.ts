import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { ProtocolError, UnencodableValueError } from '../errors.ts';
import { compileArray } from './compile-array.ts';
import { compilePrimitive, refusingNull } from './compile-primitive.ts';
import type { Field, StructDescription, TypeDescription } from './description.ts';
import { readTaggedFields, type TaggedField, writeTaggedFields } from './tagged-fields.ts';
import type { ValueCodec, WireForm } from './value-codec.ts';

/** The version for which a struct is compiled. */
export interface StructForm {
  readonly version: number;
  readonly flexible: boolean;
}

interface PlacedField {
  readonly name: string;
  readonly codec: ValueCodec;
}

/**
 * Compiles a description for one version. What comes out holds only the fields that the version has,
 * in order, so that nothing about versions is asked while messages pass.
 *
 * Hot path: one object per struct, all of them of one shape, since absent fields get their default at
 * their own place.
 */
export function compileStruct(
  description: StructDescription<object>,
  form: StructForm,
): ValueCodec {
  const all: PlacedField[] = [];
  const wire: PlacedField[] = [];
  const tagged: TaggedField[] = [];
  // What StructFields says of every key, in a form that does not depend on the struct.
  const fields = description.fields as Readonly<Record<string, Field<unknown>>>;
  for (const [name, field] of Object.entries(fields)) {
    const present = form.version >= field.from && form.version <= field.to;
    if (present && field.tag === undefined) {
      const placed = { name, codec: compileField(field, form) };
      all.push(placed);
      wire.push(placed);
      continue;
    }
    all.push({ name, codec: absent(field.default) });
    if (present && form.flexible && field.tag !== undefined) {
      tagged.push({
        name,
        tag: field.tag,
        default: field.default,
        codec: compileField(field, form),
      });
    }
  }
  tagged.sort((left, right) => left.tag - right.tag);
  return {
    minBytes: wire.reduce((sum, field) => sum + field.codec.minBytes, form.flexible ? 1 : 0),
    read: structReader(all, form.flexible ? tagged : undefined),
    write: structWriter(wire, form.flexible ? tagged : undefined),
  };
}

function structReader(
  fields: readonly PlacedField[],
  tagged: readonly TaggedField[] | undefined,
): ValueCodec['read'] {
  const names = fields.map((field) => field.name);
  const reads = fields.map((field) => field.codec.read);
  const count = names.length;
  return (reader: ByteReader) => {
    const target: Record<string, unknown> = {};
    let index = 0;
    try {
      for (; index < count; index++) {
        target[names[index] as string] = (reads[index] as ValueCodec['read'])(reader);
      }
      if (tagged !== undefined) readTaggedFields(reader, target, tagged);
    } catch (error) {
      throw placed(error, names[index]);
    }
    return target;
  };
}

function structWriter(
  fields: readonly PlacedField[],
  tagged: readonly TaggedField[] | undefined,
): ValueCodec['write'] {
  const names = fields.map((field) => field.name);
  const writes = fields.map((field) => field.codec.write);
  const count = names.length;
  return (writer: ByteWriter, value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      throw new UnencodableValueError(`${value} was given where an object is needed`);
    }
    // The description's type parameter guarantees an object with these fields.
    const source = value as Readonly<Record<string, unknown>>;
    let index = 0;
    try {
      for (; index < count; index++) {
        (writes[index] as ValueCodec['write'])(writer, source[names[index] as string]);
      }
      if (tagged !== undefined) writeTaggedFields(writer, source, tagged);
    } catch (error) {
      throw placed(error, names[index]);
    }
  };
}

function compileField(field: Field<unknown>, form: StructForm): ValueCodec {
  const nullable = form.version >= field.nullableFrom;
  return compileType(field.type, { ...form, nullable });
}

function compileType(type: TypeDescription, form: WireForm): ValueCodec {
  switch (type.kind) {
    case 'struct': {
      const codec = compileStruct(type.struct, form);
      return form.nullable ? withNullMarker(codec) : codec;
    }
    case 'array': {
      const element = compileType(type.element, { ...form, nullable: false });
      const codec = compileArray(element, isCounted(type.element), form);
      return form.nullable ? codec : refusingNull(codec);
    }
    default:
      return compilePrimitive(type.kind, form);
  }
}

/** Numbers take no more memory decoded than on the wire; everything else does. */
function isCounted(type: TypeDescription): boolean {
  return !(type.kind.startsWith('int') || type.kind === 'bool' || type.kind === 'float64');
}

function withNullMarker(codec: ValueCodec): ValueCodec {
  return {
    minBytes: 1,
    read: (reader) => (reader.readInt8() < 0 ? null : codec.read(reader)),
    write: (writer, value) => {
      writer.writeInt8(value === null ? -1 : 1);
      if (value !== null) codec.write(writer, value);
    },
  };
}

function absent(value: unknown): ValueCodec {
  // An array must not be shared between messages: their owners may push to it.
  const read = Array.isArray(value) ? () => [] : () => value;
  return { minBytes: 0, read, write: () => undefined };
}

function placed(error: unknown, name: string | undefined): unknown {
  return error instanceof ProtocolError ? error.within(name ?? 'tagged fields') : error;
}
