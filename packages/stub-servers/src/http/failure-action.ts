/** What a rule of a failure script does to a request. */
export type FailureAction =
  | AnswerAction
  | DelayAction
  | HangAction
  | CutRequestAction
  | TruncateAnswerAction
  | StallAnswerAction
  | LoseAnswerAction
  | ForgetUploadAction;

/** Answers at once with an error instead of serving the request. */
export interface AnswerAction {
  readonly kind: 'answer';
  /** HTTP status, 200 to 599. */
  readonly status: number;
  /** The service's own word for the error, as `SlowDown` or `rateLimitExceeded`. Default: fits the status. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Headers besides those that the service gives its errors, as `{ 'Retry-After': '2' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The whole body. Default: the service's error document. */
  readonly body?: string | Uint8Array | undefined;
  /** Whether the request's body is read to its end first. Default true. */
  readonly readBody?: boolean | undefined;
}

/** Serves the request, but only after `ms` of the stub's clock. */
export interface DelayAction {
  readonly kind: 'delay';
  readonly ms: number;
}

/** Takes the request in and never answers; the connection stays until the client or the stub ends it. */
export interface HangAction {
  readonly kind: 'hang';
}

/** Breaks the connection after `afterBytes` of the request's body, or at its end if it is shorter. */
export interface CutRequestAction {
  readonly kind: 'cut-request';
  readonly afterBytes: number;
  /** Whether the connection is reset (RST) instead of ended (FIN). Default false. */
  readonly reset?: boolean | undefined;
}

/** Serves the request, and ends the connection after `afterBytes` of the answer's body. */
export interface TruncateAnswerAction {
  readonly kind: 'truncate-answer';
  readonly afterBytes: number;
  /** Whether the connection is reset (RST) instead of ended (FIN). Default false. */
  readonly reset?: boolean | undefined;
}

/** Serves the request, and falls silent after `afterBytes` of the answer's body. */
export interface StallAnswerAction {
  readonly kind: 'stall-answer';
  readonly afterBytes: number;
}

/** Serves the request, so that all its effects stay, and breaks the connection instead of answering. */
export interface LoseAnswerAction {
  readonly kind: 'lose-answer';
  /** Whether the connection is reset (RST) instead of ended (FIN). Default false. */
  readonly reset?: boolean | undefined;
}

/** Forgets the unfinished upload that the request names, then serves the request. */
export interface ForgetUploadAction {
  readonly kind: 'forget-upload';
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name} takes an integer of 0 or more, got ${value}`);
  }
}

/**
 * Refuses an action that could not be carried out.
 *
 * @throws RangeError when a number of it is out of range
 */
export function assertFailureAction(action: FailureAction): void {
  if (action.kind === 'answer') {
    const { status } = action;
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`status takes an integer in [200, 599], got ${status}`);
    }
  }
  if (action.kind === 'delay' && !(action.ms >= 0 && Number.isFinite(action.ms))) {
    throw new RangeError(`ms takes a finite number of 0 or more, got ${action.ms}`);
  }
  if ('afterBytes' in action) assertCount('afterBytes', action.afterBytes);
}
