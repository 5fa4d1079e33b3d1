import { type Clock, type RandomSource, systemClock, systemRandom } from '@logloft/clock';
import type { ServiceAccountOptions } from './service-account.ts';

/** Settings of a a stub of Google Cloud Storage. */
export interface GcsStubOptions {
  /** Port on 127.0.0.1. Default 0, a free one. */
  readonly port?: number | undefined;
  /** Buckets that exist from the start. Default none. */
  readonly buckets?: readonly string[] | undefined;
  /** The bearer token that every request needs, but those of an open upload. Default: none is needed. */
  readonly token?: string | undefined;
  /**
   * Switches `POST /token` on, which hands {@link GcsStubOptions.token} (or a random one) to whoever
   * signs with this account's key, and takes tokens that it signed itself.
   */
  readonly serviceAccount?: ServiceAccountOptions | undefined;
  /** Most bytes held, those on their way in included; beyond, uploads answer 507. Default 1 GiB. */
  readonly maxBytes?: number | undefined;
  /** How many requests the log keeps. Default 10000. */
  readonly maxLoggedRequests?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** For upload ids and tokens. Default: the system's. */
  readonly random?: RandomSource | undefined;
}

type Switch = 'token' | 'serviceAccount';

/** Options in which only those are left open that switch something on. */
export type ResolvedGcsStubOptions = Pick<GcsStubOptions, Switch> & {
  readonly [Name in Exclude<keyof GcsStubOptions, Switch>]-?: Exclude<
    GcsStubOptions[Name],
    undefined
  >;
};

/**
 * Fills in the defaults.
 *
 * @throws RangeError when a number is out of range, TypeError for an empty token
 */
export function resolveGcsStubOptions(options: GcsStubOptions): ResolvedGcsStubOptions {
  const resolved = {
    port: options.port ?? 0,
    buckets: options.buckets ?? [],
    token: options.token,
    serviceAccount: options.serviceAccount,
    maxBytes: options.maxBytes ?? 1024 * 1024 * 1024,
    maxLoggedRequests: options.maxLoggedRequests ?? 10_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  };
  assertInteger('port', resolved.port, { min: 0, max: 65_535 });
  assertInteger('maxBytes', resolved.maxBytes, { min: 0, max: Number.MAX_SAFE_INTEGER });
  assertInteger('maxLoggedRequests', resolved.maxLoggedRequests, {
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  });
  if (resolved.token !== undefined && !/^\S+$/.test(resolved.token)) {
    throw new TypeError('token takes a text of at least one character without spaces');
  }
  return Object.freeze(resolved);
}

function assertInteger(
  name: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${name} takes an integer in [${min}, ${max}], got ${value}`);
}
