import { describe, expect, test } from 'vitest';
import { GcsError } from '../../src/gcs/gcs-error.ts';
import { applyDocument, NO_SETTINGS, readObjectDocument } from '../../src/gcs/object-settings.ts';

describe('a document', () => {
  test('that is laid over settings changes what it names, and takes away what it says is null', () => {
    const first = applyDocument(
      NO_SETTINGS,
      readObjectDocument(
        '{"contentType":"a/b","cacheControl":"no-store","metadata":{"a":"1","b":"2"}}',
      ),
    );
    const second = applyDocument(
      first,
      readObjectDocument(
        '{"cacheControl":null,"metadata":{"a":null,"__proto__":"3","constructor":4}}',
      ),
    );
    expect([...second.fields]).toEqual([['contentType', 'a/b']]);
    expect([...second.metadata]).toEqual([
      ['b', '2'],
      ['__proto__', '3'],
      ['constructor', '4'],
    ]);
    expect(applyDocument(second, readObjectDocument('{"metadata":null}')).metadata.size).toBe(0);
    // The one before is another version, and stays as it was.
    expect(first.metadata.get('a')).toBe('1');
  });

  test.each([
    '{',
    '[]',
    '1',
    'null',
    '"x"',
    '{"contentType":{}}',
    '{"metadata":[]}',
    '{"metadata":{"a":{}}}',
    '{"name":[]}',
  ])('%s is refused', (text) => {
    expect(() => readObjectDocument(text)).toThrow(GcsError);
  });

  test('with more than 8 KiB of metadata is refused', () => {
    const metadata = (bytes: number): string =>
      JSON.stringify({ metadata: { k: 'x'.repeat(bytes - 1) } });
    expect(applyDocument(NO_SETTINGS, readObjectDocument(metadata(8192))).metadata.size).toBe(1);
    expect(() => applyDocument(NO_SETTINGS, readObjectDocument(metadata(8193)))).toThrow(GcsError);
  });

  test('that is blank sets nothing', () => {
    expect(applyDocument(NO_SETTINGS, readObjectDocument(' '))).toEqual(NO_SETTINGS);
  });
});
