import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter, RecordsPayload } from '../byte-writer.ts';
import { UnencodableValueError } from '../errors.ts';
import type { PrimitiveKind } from './description.ts';
import type { ValueCodec, WireForm } from './value-codec.ts';

type Lengthy = 'string' | 'bytes' | 'records';

const FIXED: Readonly<Record<Exclude<PrimitiveKind, Lengthy>, ValueCodec>> = {
  bool: fixed<boolean>(
    1,
    (reader) => reader.readBoolean(),
    (writer, value) => writer.writeBoolean(value),
  ),
  int8: fixed<number>(
    1,
    (reader) => reader.readInt8(),
    (writer, value) => writer.writeInt8(value),
  ),
  int16: fixed<number>(
    2,
    (reader) => reader.readInt16(),
    (writer, value) => writer.writeInt16(value),
  ),
  int32: fixed<number>(
    4,
    (reader) => reader.readInt32(),
    (writer, value) => writer.writeInt32(value),
  ),
  int64: fixed<number>(
    8,
    (reader) => reader.readInt64(),
    (writer, value) => writer.writeInt64(value),
  ),
  float64: fixed<number>(
    8,
    (reader) => reader.readFloat64(),
    (writer, value) => writer.writeFloat64(value),
  ),
  uuid: fixed<string>(
    16,
    (reader) => reader.readUuid(),
    (writer, value) => writer.writeUuid(value),
  ),
};

const CLASSIC: Readonly<Record<Lengthy, ValueCodec>> = {
  string: fixed<string | null>(
    2,
    (reader) => reader.readNullableString(),
    (writer, value) => writer.writeNullableString(value),
  ),
  bytes: fixed<Buffer | null>(
    4,
    (reader) => reader.readNullableBytes(),
    (writer, value) => writer.writeNullableBytes(value),
  ),
  records: fixed<RecordsPayload | null>(
    4,
    (reader) => reader.readNullableBytes(),
    (writer, value) => writer.writeNullableRecords(value),
  ),
};

const COMPACT: Readonly<Record<Lengthy, ValueCodec>> = {
  string: fixed<string | null>(
    1,
    (reader) => reader.readNullableCompactString(),
    (writer, value) => writer.writeNullableCompactString(value),
  ),
  bytes: fixed<Buffer | null>(
    1,
    (reader) => reader.readNullableCompactBytes(),
    (writer, value) => writer.writeNullableCompactBytes(value),
  ),
  records: fixed<RecordsPayload | null>(
    1,
    (reader) => reader.readNullableCompactBytes(),
    (writer, value) => writer.writeNullableCompactRecords(value),
  ),
};

/** The codec of a type without parts. */
export function compilePrimitive(kind: PrimitiveKind, form: WireForm): ValueCodec {
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'records') return FIXED[kind];
  const codec = (form.flexible ? COMPACT : CLASSIC)[kind];
  return form.nullable ? codec : refusingNull(codec);
}

/** The same codec for a field that has no null: null is an error in both directions. */
export function refusingNull(codec: ValueCodec): ValueCodec {
  const { read, write, minBytes } = codec;
  return {
    minBytes,
    read: (reader) => {
      const value = read(reader);
      if (value === null) throw reader.malformed('null was found where null is not allowed');
      return value;
    },
    write: (writer, value) => {
      if (value === null || value === undefined) {
        throw new UnencodableValueError(`${value} was given where a value is needed`);
      }
      write(writer, value);
    },
  };
}

function fixed<T>(
  minBytes: number,
  read: (reader: ByteReader) => T,
  write: (writer: ByteWriter, value: T) => void,
): ValueCodec {
  // The decoded boundary: the description's type parameter guarantees that the value is a T.
  return { minBytes, read, write: write as ValueCodec['write'] };
}
