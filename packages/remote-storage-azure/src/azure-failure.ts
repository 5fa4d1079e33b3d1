import type { Clock } from '@logloft/clock';
import {
  isRemoteStorageError,
  kindOfHttpStatus,
  parseRetryAfter,
  RemoteResourceNotFoundError,
  RemoteStorageError,
} from '@logloft/remote-storage';
import { type FailureFacts, failureFacts } from './failure-facts.ts';
import { CODES, type KnownCode } from './known-codes.ts';

/** What was being done, and where, when something was thrown. */
export interface FailedRequest {
  /** Words for the message, for example `Writing the object`. */
  readonly action: string;
  readonly key?: string | undefined;
  readonly container: string;
  /** For dates that the service tells. */
  readonly clock: Clock;
}

// The service refuses requests whose time is further off than this.
const MAX_SKEW_MS = 15 * 60_000;

/**
 * Makes an error of this project of whatever the SDK, the transport or a credential threw. The message
 * names action, key, container, status, code and request id, and what to do about it.
 */
export function azureFailure(thrown: unknown, failed: FailedRequest): RemoteStorageError {
  if (isRemoteStorageError(thrown)) return retold(thrown, failed);
  const facts = failureFacts(thrown);
  const known = knownCode(thrown, facts, failed.clock);
  const kind = known.kind;
  const message = `${describe(failed)} failed: ${summary(facts)}${remedy(known)}`;
  const options = {
    cause: thrown,
    key: failed.key,
    retryAfterMs: parseRetryAfter(facts.retryAfter, failed.clock.now()),
    retryable: known.retryable,
  };
  if (kind === 'not-found') return new RemoteResourceNotFoundError(message, options);
  return new RemoteStorageError(kind, message, options);
}

// Time-outs of the transport know neither key nor container.
function retold(known: RemoteStorageError, failed: FailedRequest): RemoteStorageError {
  if (known.key !== undefined || known.kind === 'aborted') return known;
  return new RemoteStorageError(known.kind, `${describe(failed)} failed: ${known.message}`, {
    cause: known,
    key: failed.key,
    retryable: known.retryable,
    retryAfterMs: known.retryAfterMs,
  });
}

function describe({ action, key, container }: FailedRequest): string {
  const what = key === undefined ? action : `${action} ${JSON.stringify(key)}`;
  return `${what} in the container "${container}"`;
}

function summary({ status, code, requestId, detail }: FailureFacts): string {
  const answer = [status, code].filter((part) => part !== undefined).join(' ');
  const id = requestId === undefined ? '' : ` (request ${requestId})`;
  return [`${answer}${id}`.trim(), detail].filter((part) => part !== '').join(': ');
}

function remedy({ remedy: what }: KnownCode): string {
  return what === undefined ? '' : `. ${what}`;
}

function knownCode(thrown: unknown, facts: FailureFacts, clock: Clock): KnownCode {
  const { status, code } = facts;
  if (status === 401 || status === 403) {
    const time = wrongTime(facts, clock);
    if (time !== undefined) return { kind: 'denied', remedy: time };
  }
  const isTheirs = status !== undefined && status >= 500;
  const known = CODES.get(code ?? '') ?? (isTheirs ? undefined : byName(thrown));
  if (known !== undefined) return known;
  if (status !== undefined && status >= 300) {
    return { kind: kindOfHttpStatus(status) ?? 'unavailable', retryable: retryableStatus(status) };
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code ?? '')) return UNTRUSTED;
  // No answer at all, or one that was cut: whatever it was, it was on the way.
  return { kind: 'unavailable', retryable: isOfTheWay(thrown, facts) };
}

const UNTRUSTED: KnownCode = {
  kind: 'invalid-configuration',
  remedy:
    "The endpoint's certificate is not trusted: check azure.endpoint.url, or name your authority's certificate in NODE_EXTRA_CA_CERTS",
};

function retryableStatus(status: number): boolean | undefined {
  return kindOfHttpStatus(status) === undefined ? false : undefined;
}

function isOfTheWay(thrown: unknown, { code, status }: FailureFacts): boolean {
  if (status !== undefined) return true;
  if (thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'RestError')) {
    return true;
  }
  return code !== undefined && /^((?!ERR_)E[A-Z_]+|PARSE_ERROR|REQUEST_SEND_ERROR)$/.test(code);
}

function byName(thrown: unknown): KnownCode | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (/(Credential|Authentication)\w*Error$/.test(thrown.name)) {
    return {
      kind: 'denied',
      remedy:
        'No credential of this machine was accepted: log in, give it a managed identity, or set azure.account.key or azure.sas.token',
    };
  }
  if (/not permitted for non-?TLS/i.test(thrown.message)) {
    return {
      kind: 'invalid-configuration',
      remedy: 'Use https in azure.endpoint.url, or set azure.account.key or azure.sas.token',
    };
  }
  return undefined;
}

function wrongTime({ date, detail }: FailureFacts, clock: Clock): string | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reads a date, does not ask for the time
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  const aheadMs = clock.now() - theirs;
  if (Math.abs(aheadMs) > MAX_SKEW_MS) {
    const minutes = Math.round(Math.abs(aheadMs) / 60_000);
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    return `The clock of this machine is ${minutes} minutes ${side} that of the service: set it right`;
  }
  if (/Signature not valid in the specified (time frame|key time frame)|expired/i.test(detail)) {
    return 'The SAS token or the login has expired: renew azure.sas.token or the login';
  }
  return undefined;
}
