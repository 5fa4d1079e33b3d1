import type { Clock } from '@logloft/clock';
import type { Answer } from '../http/answer.ts';
import { textAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { MemoryBudget } from '../storage/memory-budget.ts';
import { GcsError } from './gcs-error.ts';
import type { GcsStorage } from './gcs-storage.ts';
import type { GcsRoute } from './route.ts';
import type { UploadSessions } from './upload-sessions.ts';

/** What the stub is made of. */
export interface GcsContext {
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  readonly storage: GcsStorage;
  readonly sessions: UploadSessions;
}

/** One request on its way through a handler. */
export interface GcsCall extends GcsContext {
  readonly route: GcsRoute;
  readonly exchange: Exchange;
  /** Scheme and authority under which the client reached the stub, a proxy's when there is one. */
  readonly baseUrl: string;
}

/** A document as an answer. What is undefined in it is left out. */
export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return jsonTextAnswer(JSON.stringify(value), headers);
}

/** A document that is text already. */
export function jsonTextAnswer(
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return textAnswer(200, text, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-cache, no-store, max-age=0, must-revalidate',
    ...headers,
  });
}

/** The bucket that the request names. */
export function bucketName({ route }: GcsCall): string {
  return required(route.bucket, 'bucket');
}

/** The object that the request names. */
export function objectName({ route }: GcsCall): string {
  return required(route.key, 'object');
}

/** @throws GcsError `required` when it is missing or empty */
export function required(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value;
  throw new GcsError('required', `Required parameter: ${name}`);
}
