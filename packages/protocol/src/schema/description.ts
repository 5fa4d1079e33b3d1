/** The types that have no parts of their own. */
export type PrimitiveKind =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'uuid'
  | 'string'
  | 'bytes'
  | 'records';

/** What a field holds, as data. */
export type TypeDescription =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: 'array'; readonly element: TypeDescription }
  | { readonly kind: 'struct'; readonly struct: StructDescription<object> };

/**
 * A field of a struct, as data: its type and the versions in which it is on the wire. `T` is the
 * type of the field's value in JavaScript.
 */
export interface Field<T> {
  readonly type: TypeDescription;
  /** First version with this field. */
  readonly from: number;
  /** Last version with this field; infinite when it was never taken away. */
  readonly to: number;
  /** First version in which null may be on the wire; infinite when in none. */
  readonly nullableFrom: number;
  /** Number of the tagged field, or undefined when the field has a place of its own. */
  readonly tag: number | undefined;
  /**
   * The value of a field that a version does not have, and of a tagged field that was left out. An
   * array here is empty; readers get a fresh one each time.
   */
  readonly default: T;
}

/** Where a field is on the wire, and what stands for it where it is not. */
export interface FieldOptions<T> {
  /** First version with this field, default 0. */
  readonly from?: number | undefined;
  /** Last version with this field, default: no last one. */
  readonly to?: number | undefined;
  /** Makes it a tagged field with this number: left out when it has its default. */
  readonly tag?: number | undefined;
  /** Default: 0, false, the empty string, empty bytes, the zero uuid, an empty array. */
  readonly default?: T | undefined;
}

/** The fields of `T` in the order in which they are on the wire. */
export type StructFields<T extends object> = { readonly [K in keyof T]-?: Field<T[K]> };

/** A group of fields: a message, or an element of an array in it. */
export interface StructDescription<T extends object> {
  readonly fields: StructFields<T>;
}

/**
 * Describes a group of fields. The order of the keys is the order on the wire, and the order in which
 * a decoded object gets its properties.
 */
export function struct<T extends object>(fields: StructFields<T>): StructDescription<T> {
  return { fields };
}
