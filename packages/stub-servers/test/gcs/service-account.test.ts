import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServiceAccount } from '../../src/gcs/service-account.ts';

const NOW_MS = 1_800_000_000_000;
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const others = generateKeyPairSync('rsa', { modulusLength: 2048 });

function assertion(
  claims: unknown,
  { key = keys.privateKey, alg = 'RS256' }: { key?: KeyObject; alg?: string } = {},
): string {
  const [header, body] = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createSign('RSA-SHA256').update(`${header}.${body}`).sign(key, 'base64url');
  return `${header}.${body}.${signature}`;
}

const now = NOW_MS / 1000;
const good = { iss: 'me@p.iam', iat: now, exp: now + 3600 };
const account = new ServiceAccount({
  publicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  clientEmail: 'me@p.iam',
});

describe('an assertion', () => {
  test('signed by the account within its time is taken', () => {
    expect(account.refusal(assertion(good), NOW_MS)).toBeUndefined();
    const anyone = new ServiceAccount({ publicKey: keys.publicKey });
    expect(anyone.refusal(assertion({ ...good, iss: 'you' }), NOW_MS)).toBeUndefined();
  });

  test.each([
    ['another key', assertion(good, { key: others.privateKey })],
    ['another algorithm', assertion(good, { alg: 'none' })],
    ['another account', assertion({ ...good, iss: 'you' })],
    ['a time long past', assertion({ ...good, iat: now - 7200, exp: now - 301 })],
    ['a time to come', assertion({ ...good, iat: now + 301, exp: now + 3600 })],
    ['no time', assertion({ iss: 'me@p.iam' })],
    ['claims that are none', assertion('claims')],
    ['claims exchanged', assertion(good).replace(/\.[^.]*\./, '.e30.')],
    ['two parts', assertion(good).replace(/\.[^.]*$/, '')],
    ['nothing', ''],
    ['dots', '..'],
  ])('with %s is refused', (_, text) => {
    expect(account.refusal(text, NOW_MS)).toMatch(/^Invalid /);
  });
});
