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

  test('with more than 8 KiB of metadata, or of fields, is refused', () => {
    const settingsOf = (document: unknown): unknown =>
      applyDocument(NO_SETTINGS, readObjectDocument(JSON.stringify(document)));
    const value = 'x'.repeat(8191);
    expect(settingsOf({ metadata: { k: value } })).toMatchObject({
      metadata: new Map([['k', value]]),
    });
    expect(() => settingsOf({ metadata: { kk: value } })).toThrow('8192 allowed');
    const type = 'x'.repeat(8192 - 'contentType'.length);
    expect(settingsOf({ contentType: type })).toBeDefined();
    expect(() => settingsOf({ contentType: `${type}x` })).toThrow('8192 allowed');
    expect(() => settingsOf({ crc32c: value })).toThrow('Invalid value for crc32c');
  });

  test('that is blank sets nothing', () => {
    expect(applyDocument(NO_SETTINGS, readObjectDocument(' '))).toEqual(NO_SETTINGS);
  });
});
