/** Who goes first: what a reader waits for, before what one may want later. */
export type LanePriority = 'direct' | 'ahead';

/** Bounds of {@link RequestLanes}. */
export interface RequestLanesOptions {
  /** Most requests at one time, >= 1. */
  readonly maxRequests: number;
  /** How many of them may be read-ahead; less than all, so that one a reader waits for finds room. */
  readonly maxAhead: number;
}

/** A place in the queue, then a lane. */
export interface Lane {
  /** Resolves when the request may begin. Rejects never: whoever leaves while waiting is forgotten. */
  readonly entered: Promise<void>;
  /** Says that a reader waits for it now. */
  promote(): void;
  /** Gives the lane, or the place in the queue, back. Calls after the first have no effect. */
  leave(): void;
}

interface Ticket {
  priority: LanePriority;
  /** The priority under which it was let in. */
  running: LanePriority | undefined;
  left: boolean;
  readonly enter: () => void;
}

/** Bounds the requests to a store that run at one time. Read-ahead never keeps a reader waiting. */
export class RequestLanes {
  readonly #options: RequestLanesOptions;
  readonly #waiting: Record<LanePriority, Set<Ticket>> = { direct: new Set(), ahead: new Set() };
  readonly #running: Record<LanePriority, number> = { direct: 0, ahead: 0 };

  constructor(options: RequestLanesOptions) {
    this.#options = options;
  }

  /** Requests that run now. */
  get running(): number {
    return this.#running.direct + this.#running.ahead;
  }

  /** Joins the queue. */
  join(priority: LanePriority): Lane {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ticket: Ticket = { priority, running: undefined, left: false, enter: resolve };
    this.#waiting[priority].add(ticket);
    this.#admit();
    return {
      entered: promise,
      promote: () => this.#promote(ticket),
      leave: () => this.#leave(ticket),
    };
  }

  #promote(ticket: Ticket): void {
    if (ticket.priority === 'direct' || ticket.left) return;
    ticket.priority = 'direct';
    if (ticket.running === undefined) {
      this.#waiting.ahead.delete(ticket);
      this.#waiting.direct.add(ticket);
    } else {
      this.#running.ahead -= 1;
      this.#running.direct += 1;
      ticket.running = 'direct';
    }
    this.#admit();
  }

  #leave(ticket: Ticket): void {
    if (ticket.left) return;
    ticket.left = true;
    this.#waiting[ticket.priority].delete(ticket);
    if (ticket.running === undefined) return;
    this.#running[ticket.running] -= 1;
    this.#admit();
  }

  #admit(): void {
    const { maxRequests, maxAhead } = this.#options;
    for (const ticket of this.#waiting.direct) {
      if (this.running >= maxRequests) return;
      this.#enter(ticket);
    }
    for (const ticket of this.#waiting.ahead) {
      if (this.running >= maxRequests || this.#running.ahead >= maxAhead) return;
      this.#enter(ticket);
    }
  }

  #enter(ticket: Ticket): void {
    this.#waiting[ticket.priority].delete(ticket);
    this.#running[ticket.priority] += 1;
    ticket.running = ticket.priority;
    ticket.enter();
  }
}
