import { type Clock, type RandomSource, systemClock, systemRandom } from '@logloft/clock';
import type { ChecksumDialect } from './payload-plan.ts';
import { DEFAULT_S3_CREDENTIAL, type S3Credential } from './s3-credential.ts';

/** Settings of an S3 stub. All have defaults. */
export interface S3StubOptions {
  /** Port of 127.0.0.1. Default 0: a free one. */
  readonly port?: number | undefined;
  /** Buckets that are there from the start. Default: none. */
  readonly buckets?: readonly string[] | undefined;
  /** Default `us-east-1`. */
  readonly region?: string | undefined;
  /** The users. Default: {@link DEFAULT_S3_CREDENTIAL} alone. */
  readonly credentials?: readonly S3Credential[] | undefined;
  /** `ignore` takes every request for one of the first user, signed or not. Default `verify`. */
  readonly authentication?: 'verify' | 'ignore' | undefined;
  /** `none` answers 501 to conditions on writes, as some stores do. Default `atomic`. */
  readonly conditionalWrites?: 'atomic' | 'none' | undefined;
  /**
   * `ignore` takes checksums and forgets them; `refuse` answers 501 to `x-amz-checksum-*` and
   * aws-chunked bodies, as some stores do. Content-MD5 is checked always. Default `verify`.
   */
  readonly checksums?: ChecksumDialect | undefined;
  /** Whether the first version of ListObjects is refused with 501. Default false. */
  readonly listV2Only?: boolean | undefined;
  /** `ignore` never sends `100 Continue`, as some stores and proxies do. Default `answer`. */
  readonly expectContinue?: 'answer' | 'ignore' | undefined;
  /** What all parts but the last must have. Default 5 MiB, as S3; less makes tests cheap. */
  readonly minPartBytes?: number | undefined;
  /** What one PutObject or UploadPart may carry. Default 5 GiB, as S3. */
  readonly maxPutBytes?: number | undefined;
  /** Bytes held in all, stored and on their way in; beyond, the answer is 507. Default 1 GiB. */
  readonly maxBytes?: number | undefined;
  /** Requests that the log keeps. Default 10,000. */
  readonly maxLoggedRequests?: number | undefined;
  /** Time for signatures, dates and scripted delays. Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Where upload and request ids come from. Default: the machine's. */
  readonly random?: RandomSource | undefined;
}

/** Options with nothing left open. */
export type ResolvedS3StubOptions = {
  readonly [Name in keyof S3StubOptions]-?: Exclude<S3StubOptions[Name], undefined>;
};

const DEFAULTS: ResolvedS3StubOptions = Object.freeze({
  port: 0,
  buckets: [],
  region: 'us-east-1',
  credentials: [DEFAULT_S3_CREDENTIAL],
  authentication: 'verify',
  conditionalWrites: 'atomic',
  checksums: 'verify',
  listV2Only: false,
  expectContinue: 'answer',
  minPartBytes: 5 * 1024 * 1024,
  maxPutBytes: 5 * 1024 * 1024 * 1024,
  maxBytes: 1024 * 1024 * 1024,
  maxLoggedRequests: 10_000,
  clock: systemClock,
  random: systemRandom,
});

function assertInteger(
  options: ResolvedS3StubOptions,
  name: 'port' | 'minPartBytes' | 'maxPutBytes' | 'maxBytes' | 'maxLoggedRequests',
  range: { readonly min: number; readonly max: number },
): void {
  const value = options[name];
  if (!Number.isSafeInteger(value) || value < range.min || value > range.max) {
    throw new RangeError(
      `${name} takes an integer in [${range.min}, ${range.max}], got ${String(value)}`,
    );
  }
}

function assertOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) {
    throw new TypeError(`${name} takes one of ${allowed.join(', ')}, got ${String(value)}`);
  }
}

/**
 * Fills in the defaults.
 *
 * @throws RangeError or TypeError when a value is not allowed
 */
export function resolveS3StubOptions(options: S3StubOptions): ResolvedS3StubOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const resolved: ResolvedS3StubOptions = { ...DEFAULTS, ...Object.fromEntries(given) };
  assertInteger(resolved, 'port', { min: 0, max: 65_535 });
  assertInteger(resolved, 'minPartBytes', { min: 0, max: Number.MAX_SAFE_INTEGER });
  assertInteger(resolved, 'maxPutBytes', { min: 0, max: Number.MAX_SAFE_INTEGER });
  assertInteger(resolved, 'maxBytes', { min: 0, max: Number.MAX_SAFE_INTEGER });
  assertInteger(resolved, 'maxLoggedRequests', { min: 1, max: Number.MAX_SAFE_INTEGER });
  assertOneOf('authentication', resolved.authentication, ['verify', 'ignore']);
  assertOneOf('conditionalWrites', resolved.conditionalWrites, ['atomic', 'none']);
  assertOneOf('checksums', resolved.checksums, ['verify', 'ignore', 'refuse']);
  assertOneOf('expectContinue', resolved.expectContinue, ['answer', 'ignore']);
  if (resolved.credentials.length === 0) {
    throw new TypeError(
      "credentials takes at least one user; authentication: 'ignore' asks for none",
    );
  }
  return Object.freeze(resolved);
}
