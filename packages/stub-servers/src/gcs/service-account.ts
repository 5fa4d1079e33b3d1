import { createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { readJsonObject } from './object-settings.ts';

/** How far apart the clocks of client and stub may be. */
const MAX_SKEW_SECONDS = 300;

/** A service account that the stub knows. */
export interface ServiceAccountOptions {
  /** Of the account's RSA key: PEM, as certificate or SPKI, or a key object. */
  readonly publicKey: string | KeyObject;
  /** The account's name (`client_email`). Default: any. */
  readonly clientEmail?: string | undefined;
}

/** Checks what a service account signed (RS256 JSON web tokens). */
export class ServiceAccount {
  readonly #key: KeyObject;
  readonly #clientEmail: string | undefined;

  /** @throws the system's error when the key is none */
  constructor(options: ServiceAccountOptions) {
    const { publicKey } = options;
    this.#key = typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey;
    this.#clientEmail = options.clientEmail;
  }

  /** Why the assertion does not hold at `nowMs`, or `undefined` when it does. Never throws. */
  refusal(assertion: string, nowMs: number): string | undefined {
    const parts = assertion.split('.');
    const [header = '', claims = '', signature = ''] = parts;
    if (parts.length !== 3) return 'Invalid JWT: it has not three parts.';
    if (readPart(header).get('alg') !== 'RS256') return 'Invalid JWT: only RS256 is taken.';
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    if (!verify.verify(this.#key, signature, 'base64url')) return 'Invalid JWT Signature.';
    return this.#refuseClaims(readPart(claims), nowMs / 1000);
  }

  #refuseClaims(claims: ReadonlyMap<string, unknown>, now: number): string | undefined {
    const issued = claims.get('iat');
    const expires = claims.get('exp');
    if (typeof issued !== 'number' || typeof expires !== 'number') {
      return 'Invalid JWT: iat or exp is missing.';
    }
    if (issued > now + MAX_SKEW_SECONDS || expires < now - MAX_SKEW_SECONDS) {
      return 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.';
    }
    const issuer = claims.get('iss');
    if (this.#clientEmail === undefined || issuer === this.#clientEmail) return undefined;
    return 'Invalid grant: account not found';
  }
}

function readPart(part: string): ReadonlyMap<string, unknown> {
  try {
    return readJsonObject(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return new Map();
  }
}
