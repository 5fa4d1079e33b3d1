import type { FailureAction } from './failure-action.ts';

/** What a request turned out to be, by its head alone. */
export interface RequestIdentity {
  /** The operation's name in the service's own documentation, or `Unknown`. */
  readonly operation: string;
  readonly bucket: string | undefined;
  /** The object's key, decoded. */
  readonly key: string | undefined;
}

/** One request that a stub received. */
export interface LoggedRequest extends RequestIdentity {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** 0 as long as, or because, no answer was begun. */
  readonly status: number;
  /** Bytes of the request's body read so far. */
  readonly bytesIn: number;
  /** Bytes of the answer's body handed to the connection. */
  readonly bytesOut: number;
  /**
   * `running`; `answered` in full; `cut` when the request ended early on either side's doing;
   * `lost` when the answer, or a part of it, was kept back by a scripted failure.
   */
  readonly outcome: RequestOutcome;
  /** What a script did to it. */
  readonly failure: FailureAction['kind'] | undefined;
  /** What the stub did not foresee, when it answered 500 of its own: a defect of the stub. */
  readonly error: unknown;
}

/** See {@link LoggedRequest.outcome}. */
export type RequestOutcome = 'running' | 'answered' | 'cut' | 'lost';

/** The stub's own view of a {@link LoggedRequest}, which it fills in as it goes. */
export type MutableLoggedRequest = {
  -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name];
};

/** The requests that a stub received, oldest first, and how many there were of each operation. */
export class RequestLog implements Iterable<LoggedRequest> {
  readonly #maxRequests: number;
  #requests: MutableLoggedRequest[] = [];
  #counts = new Map<string, number>();

  /** @param maxRequests how many requests are kept; beyond, the oldest half is forgotten */
  constructor(maxRequests: number) {
    this.#maxRequests = maxRequests;
  }

  /** A copy of what is kept. Each entry changes until its request is over. */
  get all(): readonly LoggedRequest[] {
    return [...this.#requests];
  }

  /** How many requests are kept. */
  get length(): number {
    return this.#requests.length;
  }

  [Symbol.iterator](): IterableIterator<LoggedRequest> {
    return this.all.values();
  }

  /** The requests of one operation. */
  of(operation: string): readonly LoggedRequest[] {
    return this.#requests.filter((request) => request.operation === operation);
  }

  /** How many requests of an operation arrived since the last reset; without a name, of all. */
  count(operation?: string | undefined): number {
    if (operation !== undefined) return this.#counts.get(operation) ?? 0;
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  /** The counts of all operations that occurred since the last reset. */
  counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  /** Forgets all requests and counts. Requests that are running are not logged again. */
  reset(): void {
    this.#requests = [];
    this.#counts = new Map();
  }

  /** For the server: logs a request that has just arrived. */
  begin(request: MutableLoggedRequest): void {
    if (this.#requests.length >= this.#maxRequests) {
      this.#requests = this.#requests.slice(Math.ceil(this.#maxRequests / 2));
    }
    this.#requests.push(request);
    this.#counts.set(request.operation, (this.#counts.get(request.operation) ?? 0) + 1);
  }
}
