import { expect, test } from 'vitest';
import { childText, readXml, XmlError } from '../../src/s3/xml-reader.ts';
import { xmlDocument, xmlGroup, xmlText } from '../../src/s3/xml-writer.ts';

test('elements, text, CDATA, entities, attributes, prefixes, comments', () => {
  const root = readXml(
    `<?xml version="1.0"?>\n<!-- a --><s3:Delete xmlns:s3="http://x/y" a='>'.length="1">
      <Quiet>true</Quiet><Object><Key>a&amp;b&lt;c&gt;&quot;&apos;&#65;&#x1F600;<![CDATA[<&>]]></Key></Object>
      <Empty/><Spaced  x="1"  /></s3:Delete >`.replace(`a='>'.length="1"`, 'a="1"'),
  );
  expect(root.name).toBe('Delete');
  expect(root.children.map(({ name }) => name)).toEqual(['Quiet', 'Object', 'Empty', 'Spaced']);
  expect(childText(root, 'Quiet')).toBe('true');
  expect(childText(root, 'Missing')).toBeUndefined();
  const [, object] = root.children;
  expect(object && childText(object, 'Key')).toBe('a&b<c>"\'A😀<&>');
});

test.each([
  '',
  'text',
  '<a>',
  '</a>',
  '<a></b>',
  '<a><b></a></b>',
  '<a/><b/>',
  '<a/>text',
  '<a>&unknown;</a>',
  '<a>&amp</a>',
  '<a>&#x110000;</a>',
  '<a>&#xfffffff;</a>',
  '<a><!-- </a>',
  '<a><![CDATA[ </a>',
  '<!DOCTYPE a><a/>',
  '<a b="<"/>',
  '< a/>',
  `${'<a>'.repeat(17)}${'</a>'.repeat(17)}`,
])('%j is refused', (text) => {
  expect(() => readXml(text)).toThrow(XmlError);
});

test('depth of sixteen is read', () => {
  expect(readXml(`${'<a>'.repeat(16)}${'</a>'.repeat(16)}`).name).toBe('a');
});

test('what is written is read again, whatever characters it has', () => {
  const texts = ['<&>"\'', '\u0001\u001f\t\r\n\u007f', '😀é', ']]>', '&amp;', ' '];
  const written = xmlDocument('Root', [
    xmlGroup(
      'Texts',
      texts.map((text) => xmlText('Text', text)),
    ),
  ]);
  const [group] = readXml(written).children;
  expect(group?.children.map(({ text }) => text)).toEqual(texts);
});
