import fc from 'fast-check';
import type { Field, StructDescription, TypeDescription } from '../src/schema/description.ts';

/** The form for which a value is made. */
interface Form {
  readonly version: number;
  readonly flexible: boolean;
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const shortBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
// Long enough to be referred to rather than copied, now and then.
const someRecords = fc.oneof(
  { weight: 3, arbitrary: shortBytes },
  { weight: 1, arbitrary: fc.integer({ min: 1020, max: 3000 }).map((n) => Buffer.alloc(n, n)) },
);

const primitives: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int32: fc.integer(),
  int64: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -3, max: 3 })),
  float64: fc.double(),
  uuid: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => Buffer.from(bytes).toString('base64url')),
  string: text,
  bytes: shortBytes,
  records: someRecords,
};

/** Any message that a version can carry; fields that it does not have hold their default. */
export function arbitraryStruct(
  description: StructDescription<object>,
  form: Form,
): fc.Arbitrary<object> {
  const parts: Record<string, fc.Arbitrary<unknown>> = {};
  const fields = fieldsOf(description);
  for (const [name, field] of Object.entries(fields)) parts[name] = arbitraryField(field, form);
  return fc.record(parts, { noNullPrototype: true });
}

function arbitraryField(field: Field<unknown>, form: Form): fc.Arbitrary<unknown> {
  const { version, flexible } = form;
  const tagged = field.tag !== undefined;
  if (version < field.from || version > field.to || (tagged && !flexible)) {
    return fc.constant(field.default);
  }
  const value = arbitraryValue(field.type, form);
  if (tagged) return fc.oneof(fc.constant(field.default), value);
  return version >= field.nullableFrom ? fc.option(value, { nil: null, freq: 3 }) : value;
}

function arbitraryValue(type: TypeDescription, form: Form): fc.Arbitrary<unknown> {
  if (type.kind === 'struct') return arbitraryStruct(type.struct, form);
  if (type.kind === 'array') {
    return fc.array(arbitraryValue(type.element, form), { maxLength: 3 });
  }
  const arbitrary = primitives[type.kind];
  if (arbitrary === undefined) throw new Error(`no arbitrary for ${type.kind}`);
  return arbitrary;
}

/** The fields by name, of a struct whose type is not known. */
export function fieldsOf(
  description: StructDescription<object>,
): Readonly<Record<string, Field<unknown>>> {
  return description.fields as Readonly<Record<string, Field<unknown>>>;
}
