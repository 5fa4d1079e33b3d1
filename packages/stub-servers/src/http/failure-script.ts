import { assertFailureAction, type FailureAction } from './failure-action.ts';
import type { RequestHead } from './request-head.ts';
import type { RequestIdentity } from './request-log.ts';

/** A request as a rule's `match` sees it. */
export type MatchableRequest = RequestHead & RequestIdentity;

/** One failure to come: which requests, which of them, and what happens to them. */
export interface FailureRule {
  /** The operation's name. Default: any. */
  readonly operation?: string | undefined;
  readonly bucket?: string | undefined;
  /** The key itself, or a pattern that it matches. Default: any, also none. */
  readonly key?: string | RegExp | undefined;
  /** Whatever else has to hold, as `(request) => request.query.includes('partNumber=2')`. */
  readonly match?: ((request: MatchableRequest) => boolean) | undefined;
  /** How many matching requests pass before the first that fails. Default 0. */
  readonly skip?: number | undefined;
  /** How many requests fail; afterwards the rule is spent. Default: all. */
  readonly times?: number | undefined;
  readonly action: FailureAction;
}

interface FiredWaiter {
  readonly times: number;
  readonly wake: () => void;
}

/** A rule in a script, and what has become of it. */
export class ScriptedFailure {
  readonly rule: FailureRule;
  readonly #remove: (failure: ScriptedFailure) => void;
  readonly #waiters = new Set<FiredWaiter>();
  #matched = 0;
  #fired = 0;

  /** Made by {@link FailureScript.add}. */
  constructor(rule: FailureRule, remove: (failure: ScriptedFailure) => void) {
    this.rule = rule;
    this.#remove = remove;
  }

  /** How many requests the rule has failed. */
  get fired(): number {
    return this.#fired;
  }

  /** How many requests matched and were not taken by an earlier rule, skipped ones counted, too. */
  get matched(): number {
    return this.#matched;
  }

  /** Takes the rule out of the script. Requests that it holds go on being held. */
  remove(): void {
    this.#remove(this);
  }

  /**
   * Resolves once the rule has fired `times` times in all (default 1).
   *
   * @throws the reason of `signal` when that comes first
   */
  async whenFired(
    times: number = 1,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#fired >= times) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { times, wake: resolve };
    const abort = (): void => reject(signal?.reason);
    this.#waiters.add(waiter);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** For the script: whether the rule takes this request; counts it. */
  take(request: MatchableRequest): boolean {
    const { skip = 0, times = Number.POSITIVE_INFINITY } = this.rule;
    if (this.#fired >= times || !matches(this.rule, request)) return false;
    this.#matched += 1;
    if (this.#matched <= skip) return false;
    this.#fired += 1;
    for (const waiter of this.#waiters) if (this.#fired >= waiter.times) waiter.wake();
    return true;
  }
}

function matches(rule: FailureRule, request: MatchableRequest): boolean {
  if (rule.operation !== undefined && rule.operation !== request.operation) return false;
  if (rule.bucket !== undefined && rule.bucket !== request.bucket) return false;
  if (typeof rule.key === 'string' && rule.key !== request.key) return false;
  if (rule.key instanceof RegExp) {
    // `search` does not move `lastIndex`, so a pattern with the flag g does no harm.
    if (request.key === undefined || request.key.search(rule.key) < 0) return false;
  }
  return rule.match?.(request) ?? true;
}

function assertCount(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0)) {
    throw new RangeError(`${name} takes a number of 0 or more, got ${value}`);
  }
}

/** The failures that a stub is to show. The first rule that takes a request decides. */
export class FailureScript {
  readonly #failures = new Set<ScriptedFailure>();

  /**
   * Adds a rule behind those that are there.
   *
   * @throws RangeError when a number of the rule is out of range
   */
  add(rule: FailureRule): ScriptedFailure {
    assertCount('skip', rule.skip);
    assertCount('times', rule.times);
    assertFailureAction(rule.action);
    const failure = new ScriptedFailure(rule, (spent) => this.#failures.delete(spent));
    this.#failures.add(failure);
    return failure;
  }

  /** Takes all rules out. */
  clear(): void {
    this.#failures.clear();
  }

  /** For the server: what is to happen to a request, or `undefined` when it is served as usual. */
  decide(request: MatchableRequest): FailureAction | undefined {
    for (const failure of this.#failures) {
      if (failure.take(request)) return failure.rule.action;
    }
    return undefined;
  }
}
