import type { PluginOptions } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { resolveTuning } from '../src/gcs-settings.ts';
import { readPluginSettings } from '../src/plugin-settings.ts';

const REQUIRED = { 'gcs.bucket.name': 'loft', 'gcs.credentials.default': 'true' };

describe('the options of the plugin', () => {
  test('have the defaults of the table', () => {
    const { bucket, credentials, endpoint, tuning } = readPluginSettings(REQUIRED);
    expect({ bucket, credentials, endpoint }).toEqual({
      bucket: 'loft',
      credentials: { kind: 'default' },
      endpoint: undefined,
    });
    expect(resolveTuning(tuning)).toEqual(resolveTuning({}));
    expect(resolveTuning({})).toMatchObject({
      partBytes: 8_388_608,
      uploadMemoryBytes: 67_108_864,
      maxConnections: 64,
    });
  });

  test('are those of Aiven’s plugin, where it has them', () => {
    const settings = readPluginSettings({
      'gcs.bucket.name': 'loft',
      'gcs.endpoint.url': 'http://127.0.0.1:4443/',
      'gcs.credentials.json': '{}',
      'gcs.resumable.upload.chunk.size': '26214400',
    });
    expect(settings).toMatchObject({
      endpoint: 'http://127.0.0.1:4443',
      credentials: { kind: 'json', text: '{}' },
      tuning: { partBytes: 26_214_400 },
    });
  });

  const refused: readonly (readonly [string, PluginOptions, string])[] = [
    ['a bucket is missing', { 'gcs.credentials.default': 'true' }, 'gcs.bucket.name'],
    [
      'a name is mistyped',
      { ...REQUIRED, 'gcs.resumable.upload.chunk.sise': '1' },
      'Did you mean "gcs.resumable.upload.chunk.size"',
    ],
    ['no credentials are chosen', { 'gcs.bucket.name': 'loft' }, 'gcs.credentials.path'],
    [
      'two kinds of credentials are given',
      { ...REQUIRED, 'gcs.credentials.path': '/x' },
      'gcs.credentials.default and gcs.credentials.path',
    ],
    [
      'a part is no multiple of 256 KiB',
      { ...REQUIRED, 'gcs.resumable.upload.chunk.size': '5242881' },
      'multiple of 262144',
    ],
    ['a part is too small', { ...REQUIRED, 'gcs.resumable.upload.chunk.size': '0' }, 'integer'],
    [
      'the memory holds no part',
      { ...REQUIRED, 'gcs.upload.memory.size': '1048576' },
      'gcs.upload.memory.size',
    ],
    ['an endpoint is no address', { ...REQUIRED, 'gcs.endpoint.url': 'localhost' }, 'https://'],
    ['an endpoint is no web address', { ...REQUIRED, 'gcs.endpoint.url': 'ftp://x' }, 'https://'],
    ['a flag is no flag', { ...REQUIRED, 'gcs.verify.reads.enabled': 'yes' }, 'true or false'],
    ['a proxy is asked for', { ...REQUIRED, 'proxy.host': 'proxy' }, 'agent'],
  ];

  test('take only storage classes that there are', () => {
    const refusal = expect.objectContaining({ kind: 'invalid-configuration' });
    expect(() => resolveTuning({ storageClass: 'standard' })).toThrow(refusal);
    expect(resolveTuning({ storageClass: 'NEARLINE' }).storageClass).toBe('NEARLINE');
  });

  test.each(refused)('are refused when %s', (_, options, words) => {
    expect(() => readPluginSettings(options)).toThrow(
      expect.objectContaining({
        kind: 'invalid-configuration',
        message: expect.stringContaining(words),
      }),
    );
  });
});
