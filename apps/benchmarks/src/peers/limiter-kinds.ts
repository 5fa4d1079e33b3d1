import type { Clock } from '@logloft/clock';
import { BytePacer, WindowedQuota } from '@logloft/quota';
import Bottleneck from 'bottleneck';
import { RateLimiter } from 'limiter';
import pThrottle from 'p-throttle';
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';

/** Rate limiters that are compared. */
export type LimiterKind =
  | '@logloft/quota, window'
  | '@logloft/quota, pacer'
  | 'limiter'
  | 'bottleneck'
  | 'rate-limiter-flexible'
  | 'p-throttle'
  | 'p-throttle, strict';

/** All of them, ours first. */
export const LIMITER_KINDS: readonly LimiterKind[] = [
  '@logloft/quota, window',
  '@logloft/quota, pacer',
  'limiter',
  'bottleneck',
  'rate-limiter-flexible',
  'p-throttle',
  'p-throttle, strict',
];

/** How callers who wait can stop it: each by itself, all of one limiter together, or not at all. */
export type GivingUp = 'each' | 'all at once' | 'cannot';

/** A limiter of bytes, by the calls that its own documentation shows for waiting. */
export interface PeerLimiter {
  /** Resolves when so many bytes may go. */
  take(bytes: number, signal?: AbortSignal): Promise<unknown>;
}

/** How a limiter is opened. */
export interface PeerLimiterOptions {
  readonly bytesPerSecond: number;
  /** Whole seconds that the limit is held over. */
  readonly windowSeconds: number;
  /** Ours takes the time from it; the others from the process. */
  readonly clock: Clock;
  /** Calls off all who wait, where that is how one stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** How a caller of this limiter stops waiting. */
export function givingUpOf(kind: LimiterKind): GivingUp {
  if (kind.startsWith('@logloft/')) return 'each';
  return kind.startsWith('p-throttle') ? 'all at once' : 'cannot';
}

const OPENERS: Readonly<Record<LimiterKind, (options: PeerLimiterOptions) => PeerLimiter>> = {
  '@logloft/quota, window': openWindow,
  '@logloft/quota, pacer': openPacer,
  limiter: openLimiter,
  bottleneck: openBottleneck,
  'rate-limiter-flexible': openFlexible,
  'p-throttle': (options) => openThrottle(options, false),
  'p-throttle, strict': (options) => openThrottle(options, true),
};

/** Opens a limiter. */
export function openLimiterOf(kind: LimiterKind, options: PeerLimiterOptions): PeerLimiter {
  return OPENERS[kind](options);
}

function openWindow({ clock, bytesPerSecond, windowSeconds }: PeerLimiterOptions): PeerLimiter {
  const quota = new WindowedQuota({
    clock,
    limit: bytesPerSecond,
    samples: windowSeconds,
    windowSeconds: 1,
  });
  return {
    take: async (bytes, signal) => {
      const reservation = await quota.reserve(bytes, { signal });
      reservation.settle(bytes);
    },
  };
}

function openPacer({ clock, bytesPerSecond }: PeerLimiterOptions): PeerLimiter {
  const pacer = new BytePacer({ clock, limit: bytesPerSecond });
  return { take: (bytes, signal) => pacer.take(bytes, { signal }) };
}

function openLimiter({ bytesPerSecond, windowSeconds }: PeerLimiterOptions): PeerLimiter {
  const limiter = new RateLimiter({
    tokensPerInterval: bytesPerSecond * windowSeconds,
    interval: windowSeconds * 1000,
  });
  return { take: (bytes) => limiter.removeTokens(bytes) };
}

function openBottleneck({ bytesPerSecond, windowSeconds }: PeerLimiterOptions): PeerLimiter {
  const bytes = bytesPerSecond * windowSeconds;
  const bottleneck = new Bottleneck({
    reservoir: bytes,
    reservoirRefreshAmount: bytes,
    reservoirRefreshInterval: windowSeconds * 1000,
  });
  return { take: (weight) => bottleneck.schedule({ weight }, goOn) };
}

function openFlexible({ bytesPerSecond, windowSeconds }: PeerLimiterOptions): PeerLimiter {
  const limiter = new RateLimiterMemory({
    points: bytesPerSecond * windowSeconds,
    duration: windowSeconds,
  });
  const queue = new RateLimiterQueue(limiter);
  return { take: (bytes) => queue.removeTokens(bytes) };
}

function openThrottle(options: PeerLimiterOptions, strict: boolean): PeerLimiter {
  const { bytesPerSecond, windowSeconds, signal } = options;
  const throttle = pThrottle({
    limit: bytesPerSecond * windowSeconds,
    interval: windowSeconds * 1000,
    strict,
    weight: (bytes: number) => bytes,
    ...(signal === undefined ? {} : { signal }),
  });
  return { take: throttle((_bytes: number) => Promise.resolve()) };
}

async function goOn(): Promise<void> {
  // The bytes may go.
}
