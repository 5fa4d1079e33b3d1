import type { RecordsPayload } from '../byte-writer.ts';
import { ZERO_UUID } from '../uuid.ts';
import type { Field, FieldOptions, StructDescription, TypeDescription } from './description.ts';

const NEVER = Number.POSITIVE_INFINITY;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** One byte, 0 or 1. */
export function bool(options: FieldOptions<boolean> = {}): Field<boolean> {
  return field({ kind: 'bool' }, options, false);
}

/** A signed byte. */
export function int8(options: FieldOptions<number> = {}): Field<number> {
  return field({ kind: 'int8' }, options, 0);
}

/** A signed number of 2 bytes. */
export function int16(options: FieldOptions<number> = {}): Field<number> {
  return field({ kind: 'int16' }, options, 0);
}

/** A signed number of 4 bytes. */
export function int32(options: FieldOptions<number> = {}): Field<number> {
  return field({ kind: 'int32' }, options, 0);
}

/** A signed number of 8 bytes, in JavaScript a safe integer that saturates at both ends. */
export function int64(options: FieldOptions<number> = {}): Field<number> {
  return field({ kind: 'int64' }, options, 0);
}

/** An IEEE 754 double. */
export function float64(options: FieldOptions<number> = {}): Field<number> {
  return field({ kind: 'float64' }, options, 0);
}

/** 16 bytes, in JavaScript 22 characters of URL-safe base64. */
export function uuid(options: FieldOptions<string> = {}): Field<string> {
  return field({ kind: 'uuid' }, options, ZERO_UUID);
}

/** UTF-8 text with its length; compact in flexible versions. */
export function string(options: FieldOptions<string> = {}): Field<string> {
  return field({ kind: 'string' }, options, '');
}

/** Bytes with their length; decoded as a view of the frame, copied when encoded. */
export function bytes(options: FieldOptions<Buffer> = {}): Field<Buffer> {
  return field({ kind: 'bytes' }, options, NO_BYTES);
}

/** Record batches: decoded as a view of the frame, referred to when encoded, in one piece. */
export function records(options: FieldOptions<Buffer> = {}): Field<Buffer> {
  return field({ kind: 'records' }, options, NO_BYTES);
}

/** Like {@link records}, but may be given in several pieces to be sent one after another. */
export function gatheredRecords(options: FieldOptions<RecordsPayload> = {}): Field<RecordsPayload> {
  return field<RecordsPayload>({ kind: 'records' }, options, NO_BYTES);
}

/** A list of structs, or of values of the type of `element`, whose own options do not matter. */
export function array<T extends object>(
  element: StructDescription<T>,
  options?: FieldOptions<T[]>,
): Field<T[]>;
export function array<T>(element: Field<T>, options?: FieldOptions<T[]>): Field<T[]>;
export function array(
  element: StructDescription<object> | Field<unknown>,
  options: FieldOptions<unknown[]> = {},
): Field<unknown[]> {
  const type: TypeDescription =
    'fields' in element ? { kind: 'struct', struct: element } : element.type;
  return field({ kind: 'array', element: type }, options, []);
}

/** A struct that is there in every version. */
export function nested<T extends object>(description: StructDescription<T>): Field<T> {
  const defaults = Object.entries<Field<unknown>>(description.fields).map(([name, part]) => [
    name,
    part.default,
  ]);
  // Made from every field of T, so it is a T.
  const fallback = Object.fromEntries(defaults) as T;
  return field({ kind: 'struct', struct: description }, {}, fallback);
}

/** A struct with a marker byte before it, 1, or -1 when it is null. */
export function nullableStruct<T extends object>(
  description: StructDescription<T>,
  options: FieldOptions<T | null> = {},
): Field<T | null> {
  const present = field<T | null>({ kind: 'struct', struct: description }, options, null);
  return { ...present, nullableFrom: present.from };
}

/** A struct in a tagged field; null stands for a tagged field that is not there. */
export function taggedStruct<T extends object>(
  description: StructDescription<T>,
  options: FieldOptions<T | null> & { readonly tag: number },
): Field<T | null> {
  return field<T | null>({ kind: 'struct', struct: description }, options, null);
}

/**
 * The same field, which may also be null on the wire.
 *
 * @param from first version in which it may be null, default: all that have the field
 */
export function nullable<T>(present: Field<T>, from = 0): Field<T | null> {
  return { ...present, nullableFrom: from, default: null };
}

function field<T>(type: TypeDescription, options: FieldOptions<T>, fallback: T): Field<T> {
  return {
    type,
    from: options.from ?? 0,
    to: options.to ?? NEVER,
    nullableFrom: NEVER,
    tag: options.tag,
    default: options.default === undefined ? fallback : options.default,
  };
}
