import type { Field } from './field.ts';

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
