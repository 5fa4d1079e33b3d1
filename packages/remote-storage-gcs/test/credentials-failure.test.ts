import { describe, expect, test } from 'vitest';
import { credentialsFailure } from '../src/auth/credentials-failure.ts';

function answered(status: number, data: object): Error {
  return Object.assign(new Error(`Request failed with status ${status}`), {
    response: { status, data },
  });
}

describe('what keeps credentials away', () => {
  test.each([
    [
      'none in the environment',
      new Error('Could not load the default credentials. Browse to …'),
      { kind: 'invalid-configuration', words: 'gcs.credentials.path' },
    ],
    [
      'a clock that is far off',
      answered(400, {
        error: 'invalid_grant',
        error_description:
          'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      }),
      { kind: 'denied', words: "set this machine's clock right" },
    ],
    [
      'a key that was revoked',
      answered(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
      { kind: 'denied', words: 'revoked' },
    ],
    ['too many requests', answered(429, {}), { kind: 'throttled', words: '429' }],
    ['a failing token server', answered(503, {}), { kind: 'unavailable', words: '503' }],
    [
      'a network that is down',
      new Error('fetch failed', {
        cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
      }),
      { kind: 'unavailable', words: 'fetch failed' },
    ],
    [
      'a key that cannot sign',
      Object.assign(new Error('unsupported'), { code: 'ERR_OSSL_UNSUPPORTED' }),
      { kind: 'denied', words: 'unsupported' },
    ],
    ['anything else', new Error('no idea'), { kind: 'denied', words: 'no idea' }],
  ])('is told apart: %s', (_, thrown, { kind, words }) => {
    const failure = credentialsFailure(thrown);
    expect(failure).toMatchObject({ kind, cause: thrown });
    expect(failure.message).toContain(words);
  });
});
