import type { RemoteStorageErrorKind } from '../errors.ts';

const KIND_BY_STATUS: ReadonlyMap<number, RemoteStorageErrorKind> = new Map([
  [401, 'denied'],
  [403, 'denied'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'precondition'],
  [412, 'precondition'],
  [416, 'bad-range'],
  [429, 'throttled'],
  [503, 'throttled'],
  [507, 'full'],
]);

/**
 * What a status of HTTP means where the store says nothing better. All other 5xx are `unavailable`;
 * all other 4xx, and answers that are no failures, are nothing that is known here.
 */
export function kindOfHttpStatus(status: number): RemoteStorageErrorKind | undefined {
  return KIND_BY_STATUS.get(status) ?? (status >= 500 && status <= 599 ? 'unavailable' : undefined);
}

const MAX_RETRY_AFTER_MS = 86_400_000;

// The one form of a date that servers are to send. `Date.parse` alone would read nearly anything.
const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Ms that a `Retry-After` header asks for: seconds, or a date.
 *
 * @param nowMs wall-clock ms, for a date
 * @returns `undefined` for a header that is missing or cannot be read; never more than a day
 */
export function parseRetryAfter(
  header: string | null | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return clip(Number(text) * 1_000);
  if (!IMF_DATE.test(text)) return undefined;
  // biome-ignore lint/style/noRestrictedGlobals: reads a date, does not ask for the time
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : clip(at - nowMs);
}

function clip(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS));
}
