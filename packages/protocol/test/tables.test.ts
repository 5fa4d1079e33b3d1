import { describe, expect, test } from 'vitest';
import {
  APIS,
  apiByKey,
  ERRORS,
  ErrorCode,
  errorByCode,
  RECOMMENDED_VERSIONS,
} from '../src/index.ts';

describe('the table of APIs', () => {
  test('is sorted by key, without doubles, and finds each by its key', () => {
    const keys = APIS.map((api) => api.key);
    expect(keys).toEqual([...new Set(keys)].sort((left, right) => left - right));
    for (const api of APIS) expect(apiByKey(api.key)).toBe(api);
    expect(apiByKey(4)).toBeUndefined();
    expect(APIS).toHaveLength(51);
  });
});

describe('the recommended versions', () => {
  test('are those of an API that can be decoded and encoded', () => {
    for (const { key, name, min, max } of RECOMMENDED_VERSIONS) {
      const api = apiByKey(key);
      expect(api?.name).toBe(name);
      expect(min).toBeGreaterThanOrEqual(api?.versions.min ?? Number.NaN);
      expect(max).toBeLessThanOrEqual(api?.versions.max ?? Number.NaN);
    }
  });

  // librdkafka up to 2.11.0 looks for exactly these before it uses a feature (its issue 4948).
  test.each([
    ['ApiVersions', 0],
    ['Produce', 0],
    ['Produce', 3],
    ['Produce', 7],
    ['Fetch', 4],
    ['Fetch', 10],
    ['FindCoordinator', 0],
    ['OffsetCommit', 1],
    ['OffsetFetch', 1],
    ['JoinGroup', 0],
    ['SyncGroup', 0],
    ['Heartbeat', 0],
    ['LeaveGroup', 0],
    ['InitProducerId', 0],
    ['ListOffsets', 1],
    ['SaslHandshake', 1],
    ['SaslAuthenticate', 0],
  ])('have %s %i, without which old clients turn features off', (name, version) => {
    const range = RECOMMENDED_VERSIONS.find((candidate) => candidate.name === name);
    expect(range?.min).toBeLessThanOrEqual(version);
    expect(range?.max).toBeGreaterThanOrEqual(version);
  });

  test('stay below the versions that promise more than bytes', () => {
    const maxima = new Map(RECOMMENDED_VERSIONS.map(({ name, max }) => [name, max]));
    expect(maxima.get('Produce')).toBe(11);
    expect(maxima.get('EndTxn')).toBe(4);
    expect(maxima.get('TxnOffsetCommit')).toBe(4);
    expect(maxima.get('AddPartitionsToTxn')).toBe(3);
    // Fetch by topic id needs topic ids in Metadata.
    expect(maxima.get('Metadata')).toBeGreaterThanOrEqual(12);
  });
});

describe('the table of errors', () => {
  test('has every code from -1 on without a gap, and a sentence for each', () => {
    expect(ERRORS.map((error) => error.code)).toEqual(
      Array.from({ length: ERRORS.length }, (_, index) => index - 1),
    );
    for (const error of ERRORS) {
      expect(error.name).toMatch(/^[A-Z][A-Z_]+$/);
      expect(error.message).toMatch(/^[A-Z].*\.$/);
      expect(ErrorCode[error.name]).toBe(error.code);
      expect(errorByCode(error.code)).toBe(error);
    }
  });

  test('knows which errors clients retry, and before which they look at the metadata', () => {
    expect(errorByCode(3)).toMatchObject({
      name: 'UNKNOWN_TOPIC_OR_PARTITION',
      retriable: true,
      refreshesMetadata: true,
    });
    expect(errorByCode(7)).toMatchObject({ retriable: true, refreshesMetadata: false });
    expect(errorByCode(1)).toMatchObject({ retriable: false, refreshesMetadata: false });
    for (const error of ERRORS) if (error.refreshesMetadata) expect(error.retriable).toBe(true);
  });

  test('takes codes that it does not know for UNKNOWN_SERVER_ERROR', () => {
    expect(errorByCode(999).name).toBe('UNKNOWN_SERVER_ERROR');
    expect(errorByCode(-2).name).toBe('UNKNOWN_SERVER_ERROR');
  });
});
