import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@logloft/clock';
import { type Answer, textAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseQuery, type RequestHead } from '../http/request-head.ts';
import { GcsError } from './gcs-error.ts';
import { readDocument } from './request-body.ts';
import type { GcsRoute } from './route.ts';
import type { ServiceAccount } from './service-account.ts';

const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_LIFE_SECONDS = 3600;

/** Who may do anything, and how one gets the token for it. */
export class Access {
  readonly #clock: Clock;
  readonly #token: string | undefined;
  readonly #account: ServiceAccount | undefined;

  /** Without a token everybody may do everything. */
  constructor(options: {
    readonly clock: Clock;
    readonly token: string | undefined;
    readonly account: ServiceAccount | undefined;
  }) {
    this.#clock = options.clock;
    this.#token = options.token;
    this.#account = options.account;
  }

  /** @throws GcsError `authError` when the request has no good token, and needs one */
  check(head: RequestHead, route: GcsRoute): void {
    // The address of an upload session is a secret of its own, which the service takes for a token.
    const open = route.operation === 'token' || route.query.has('upload_id');
    if (this.#token === undefined || open) return;
    const bearer = /^bearer +(\S+)$/i.exec(head.headers.get('authorization') ?? '')?.[1];
    if (bearer === undefined) {
      throw new GcsError('required', 'Anonymous caller does not have access.', { status: 401 });
    }
    if (sameText(bearer, this.#token)) return;
    // Clients with a key of their own may sign each request's token themselves.
    const now = this.#clock.now();
    if (this.#account !== undefined && this.#account.refusal(bearer, now) === undefined) return;
    throw new GcsError('authError', 'Invalid Credentials');
  }

  /** The token endpoint: a token for an assertion that a service account signed. */
  async answerToken(exchange: Exchange): Promise<Answer> {
    const form = new Map(parseQuery(await readDocument(exchange)) ?? []);
    if (form.get('grant_type') !== JWT_GRANT) {
      return oauthError('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`);
    }
    if (this.#account === undefined || this.#token === undefined) {
      return oauthError('invalid_grant', 'The stub was started without a service account.');
    }
    const refusal = this.#account.refusal(form.get('assertion') ?? '', this.#clock.now());
    if (refusal !== undefined) return oauthError('invalid_grant', refusal);
    return oauthAnswer(200, {
      access_token: this.#token,
      expires_in: TOKEN_LIFE_SECONDS,
      token_type: 'Bearer',
    });
  }
}

function oauthError(error: string, description: string): Answer {
  return oauthAnswer(400, { error, error_description: description });
}

function oauthAnswer(status: number, value: unknown): Answer {
  return textAnswer(status, JSON.stringify(value), {
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store',
  });
}

/** Compares in a time that does not tell where they differ. */
function sameText(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
