import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseProperties } from '../../src/config/properties-file.ts';

function parse(text: string): [string, string][] {
  return parseProperties(text, 'x.properties').map(({ key, value }) => [key, value]);
}

test.each<[string, string, [string, string][]]>([
  ['an equals sign', 'a.b=c', [['a.b', 'c']]],
  ['a colon', 'a:b', [['a', 'b']]],
  ['blanks', 'a   b c', [['a', 'b c']]],
  ['blanks around the sign', '  a =  b ', [['a', 'b ']]],
  ['a value with further signs', 'a=b=c:d', [['a', 'b=c:d']]],
  [
    'no value',
    'a\nb=\nc',
    [
      ['a', ''],
      ['b', ''],
      ['c', ''],
    ],
  ],
  ['comments and empty lines', '# a=1\n\n   ! b=2\n \t\nc=3', [['c', '3']]],
  [
    'all ends of lines',
    'a=1\r\nb=2\rc=3\n',
    [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ],
  ],
  ['a continued line', 'a=1,\\\n    2,\\\r\n\t3', [['a', '1,2,3']]],
  [
    'a backslash that is escaped at the end',
    'a=1\\\\\nb=2',
    [
      ['a', '1\\'],
      ['b', '2'],
    ],
  ],
  ['a continuation that looks like a comment', 'a=1\\\n# 2', [['a', '1# 2']]],
  ['a continuation at the end of the file', 'a=1\\', [['a', '1']]],
  ['escapes', 'a\\=b\\:c\\ d=\\t\\n\\u00e4\\q', [['a=b:c d', '\t\näq']]],
  ['a mark of the byte order', '\uFEFFa=1', [['a', '1']]],
  [
    'names that are special elsewhere',
    '__proto__=1\nconstructor=2',
    [
      ['__proto__', '1'],
      ['constructor', '2'],
    ],
  ],
  [
    'the same key twice',
    'a=1\na=2',
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
])('reads %s', (_, text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test('each property knows the line on which it begins', () => {
  const lines = parseProperties('# x\na=1,\\\n  2\n\nb=3', 'x.properties');
  expect(lines.map(({ key, line }) => [key, line])).toEqual([
    ['a', 2],
    ['b', 5],
  ]);
});

test('a broken escape is an error that names file and line', () => {
  expect(() => parse('a=1\nb=\\u12')).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_CONFIG_SYNTAX',
      message: expect.stringContaining('x.properties line 2'),
    }),
  );
});

test('whatever is written with escapes is read back', () => {
  const inEscapes = (text: string): string =>
    [...text.split('')]
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  const entries = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()));
  fc.assert(
    fc.property(entries, (pairs) => {
      const text = pairs
        .map(([key, value]) => `${inEscapes(key)} = ${inEscapes(value)}`)
        .join('\n');
      expect(parse(text)).toEqual(pairs);
    }),
  );
});

test('any text is read, or refused by a typed error', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab=: \\#!\n\r\tu0'), maxLength: 60 }),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'LOGLOFT_CONFIG_SYNTAX' });
        }
      },
    ),
  );
});
