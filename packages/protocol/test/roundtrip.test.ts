import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Field, type StructDescription, struct } from '../src/schema/description.ts';
import { MessageCodec } from '../src/schema/message-codec.ts';
import { arbitraryStruct, fieldsOf } from './arbitrary-message.ts';
import { decodeBody, encodeBody, everyCodec, versionsOf } from './every-message.ts';

const named = everyCodec().map((codec) => [codec.name, codec] as const);

describe('every message in every version', () => {
  test.each(named)('%s: what was encoded decodes to the same message', (_name, codec) => {
    for (const { version, flexible } of versionsOf(codec)) {
      fc.assert(
        fc.property(arbitraryStruct(codec.struct, { version, flexible }), (message) => {
          const bytes = encodeBody(codec, version, message);
          const decoded = decodeBody(codec, version, bytes);
          expect(decoded.remaining).toBe(0);
          expect(decoded.message).toEqual(message);
          expect(Object.keys(decoded.message)).toEqual(Object.keys(codec.struct.fields));
          expect(encodeBody(codec, version, decoded.message).equals(bytes)).toBe(true);
        }),
        { numRuns: 12 },
      );
    }
  });

  test.each(named)('%s: tagged fields that are not known are passed over', (_name, codec) => {
    for (const { version, flexible } of versionsOf(codec)) {
      if (!flexible) continue;
      const newer = new MessageCodec({
        name: codec.name,
        versions: codec.versions,
        flexibleFrom: codec.flexibleFrom,
        struct: withUnknownTag(codec.struct),
      });
      fc.assert(
        fc.property(arbitraryStruct(codec.struct, { version, flexible }), (message) => {
          const plain = encodeBody(codec, version, message);
          const extended = encodeBody(newer, version, message);
          expect(extended.length).toBeGreaterThan(plain.length);
          const decoded = decodeBody(codec, version, extended);
          expect(decoded.remaining).toBe(0);
          expect(decoded.message).toEqual(message);
        }),
        { numRuns: 5 },
      );
    }
  });

  test.each(named)('%s: two messages never share an array', (_name, codec) => {
    for (const { version, flexible } of versionsOf(codec)) {
      const [message] = fc.sample(arbitraryStruct(codec.struct, { version, flexible }), {
        numRuns: 1,
        seed: version,
      });
      const bytes = encodeBody(codec, version, message ?? {});
      const first = decodeBody(codec, version, bytes).message;
      const second = decodeBody(codec, version, bytes).message;
      for (const [name, value] of Object.entries(first)) {
        if (Array.isArray(value)) expect(value).not.toBe(Reflect.get(second, name));
      }
    }
  });
});

/** The same struct with one more tagged field in it and in all structs within, never left out. */
function withUnknownTag(description: StructDescription<object>): StructDescription<object> {
  const fields: Record<string, Field<unknown>> = {};
  for (const [name, field] of Object.entries(fieldsOf(description))) fields[name] = inside(field);
  fields['addedLater'] = {
    type: { kind: 'bool' },
    from: 0,
    to: Number.POSITIVE_INFINITY,
    nullableFrom: Number.POSITIVE_INFINITY,
    tag: 300,
    // Messages have no such property, and undefined is not this: so it is always written, as false.
    default: true,
  };
  return struct<object>(fields);
}

function inside(field: Field<unknown>): Field<unknown> {
  const { type } = field;
  if (type.kind === 'struct') {
    return { ...field, type: { kind: 'struct', struct: withUnknownTag(type.struct) } };
  }
  if (type.kind === 'array' && type.element.kind === 'struct') {
    const element = { kind: 'struct', struct: withUnknownTag(type.element.struct) } as const;
    return { ...field, type: { kind: 'array', element } };
  }
  return field;
}
