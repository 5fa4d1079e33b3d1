import { type Clock, MAX_TIMER_MS, type Timer } from '@logloft/clock';
import { QuotaQueueFullError } from './errors.ts';
import { Share, type ShareOptions } from './share.ts';
import { WaiterQueue, type WaitOptions } from './waiter-queue.ts';

/** A bound on what passes. */
export interface Gate {
  /** Whether bytes may pass now, however many. */
  isOpen(): boolean;
  /** Counts bytes that pass. */
  charge(bytes: number): void;
  /** Ms until it may be open again, if nothing is changed; Infinity when that needs a change. */
  msUntilOpen(): number;
}

/** What an {@link AdmissionNode} is made of. */
export interface AdmissionNodeParts<Grant> {
  readonly clock: Clock;
  readonly gate: Gate;
  /** What a caller that waited is given when its bytes have been charged. */
  readonly makeGrant: (bytes: number) => Grant;
  readonly maxWaiters: number;
  /** What it is a child of. Its callers pass the gates of both. */
  readonly parent?: AdmissionNode<Grant> | undefined;
  readonly share?: ShareOptions | undefined;
}

/**
 * Lets callers through a gate, and through those of its ancestors, in a fair order: those of one
 * node as they came; the children of a node, and the callers of the node itself, by priority and
 * then by start-time fair queueing, so that each gets bytes by its weight whatever their sizes. A
 * child that is held by its own gate holds nobody else. The root has the only timer, while somebody
 * waits that time can help.
 */
export class AdmissionNode<Grant> {
  readonly #clock: Clock;
  readonly #gate: Gate;
  readonly #makeGrant: (bytes: number) => Grant;
  readonly #maxWaiters: number;
  readonly #parent: AdmissionNode<Grant> | undefined;
  readonly #root: AdmissionNode<Grant>;
  readonly #queue: WaiterQueue<Grant>;
  /** Its place among the children of its parent. */
  readonly #share: Share;
  /** The place of its own callers among its children. */
  readonly #ownShare = new Share();
  /** The children below which somebody waits. */
  readonly #busyChildren = new Set<AdmissionNode<Grant>>();
  #virtualTime = 0;
  #waiting = 0;
  #timer: Timer | undefined;

  /** @throws InvalidQuotaOptionError when the share is out of range */
  constructor(parts: AdmissionNodeParts<Grant>) {
    this.#clock = parts.clock;
    this.#gate = parts.gate;
    this.#makeGrant = parts.makeGrant;
    this.#maxWaiters = parts.maxWaiters;
    this.#parent = parts.parent;
    this.#root = parts.parent === undefined ? this : parts.parent.#root;
    this.#share = new Share(parts.share);
    this.#queue = new WaiterQueue(parts.clock, () => {
      this.#countWaiting(-1);
      this.#root.#setTimer();
    });
  }

  /** How many wait, here and below. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Lets the caller through if all gates are open, after all who wait and may go. */
  tryPass(bytes: number): boolean {
    const root = this.#root;
    if (root.#waiting > 0) root.#admitWaiting();
    if (!this.#isOpenToRoot()) return false;
    this.#pass(bytes);
    return true;
  }

  /**
   * Waits in line for a grant.
   *
   * @throws QuotaQueueFullError when as many wait here as may
   */
  wait(bytes: number, options: WaitOptions): Promise<Grant> {
    if (this.#queue.size >= this.#maxWaiters) throw new QuotaQueueFullError(this.#maxWaiters);
    const granted = this.#queue.join(bytes, options);
    this.#countWaiting(1);
    // One more in the same line is woken by those before it; in another line it may be the first.
    if (this.#root.#timer === undefined || this.#parent !== undefined) this.#root.#setTimer();
    return granted;
  }

  /** Something has changed: lets through all who may go now. */
  admitWaiting(): void {
    if (this.#root.#waiting > 0) this.#root.#admitWaiting();
  }

  /** Rejects all who wait here. */
  failAll(makeError: () => Error): void {
    const count = this.#queue.size;
    this.#queue.failAll(makeError);
    this.#countWaiting(-count);
    this.#root.#setTimer();
  }

  #admitWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.#grantHead();
    this.#setTimer();
  }

  /** The node, here or below, whose first caller goes next; undefined when nobody may go. */
  #next(): AdmissionNode<Grant> | undefined {
    if (this.#waiting === 0 || !this.#gate.isOpen()) return undefined;
    let best: AdmissionNode<Grant> | undefined;
    let bestShare = this.#ownShare;
    if (this.#queue.size > 0) best = this;
    for (const child of this.#busyChildren) {
      if (best !== undefined && !this.#isBefore(child.#share, bestShare)) continue;
      const node = child.#next();
      if (node === undefined) continue;
      best = node;
      bestShare = child.#share;
    }
    return best;
  }

  #isBefore(share: Share, other: Share): boolean {
    if (share.priority !== other.priority) return share.priority > other.priority;
    return share.startAt(this.#virtualTime) < other.startAt(this.#virtualTime);
  }

  #grantHead(): void {
    const bytes = this.#queue.headBytes ?? 0;
    this.#countWaiting(-1);
    this.#pass(bytes);
    this.#queue.grantHead(this.#makeGrant(bytes));
  }

  #pass(bytes: number): void {
    this.#gate.charge(bytes);
    this.#virtualTime = this.#ownShare.charge(bytes, this.#virtualTime);
    let child: AdmissionNode<Grant> = this;
    for (let node = this.#parent; node !== undefined; node = node.#parent) {
      node.#gate.charge(bytes);
      node.#virtualTime = child.#share.charge(bytes, node.#virtualTime);
      child = node;
    }
  }

  #isOpenToRoot(): boolean {
    if (!this.#gate.isOpen()) return false;
    return this.#parent === undefined || this.#parent.#isOpenToRoot();
  }

  #countWaiting(change: number): void {
    this.#waiting += change;
    let child: AdmissionNode<Grant> = this;
    for (let node = this.#parent; node !== undefined; node = node.#parent) {
      node.#waiting += change;
      if (child.#waiting > 0) node.#busyChildren.add(child);
      else node.#busyChildren.delete(child);
      child = node;
    }
  }

  #setTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const ms = this.#msUntilChange();
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimer(Math.min(Math.max(ms, 1), MAX_TIMER_MS), () => {
      this.#timer = undefined;
      this.#admitWaiting();
    });
  }

  /** Ms until a gate that holds somebody may be open. */
  #msUntilChange(): number {
    if (this.#waiting === 0) return Number.POSITIVE_INFINITY;
    if (!this.#gate.isOpen()) return this.#gate.msUntilOpen();
    // It is open, so its own callers have gone, and those who wait are held further down.
    let soonest = this.#queue.size > 0 ? 0 : Number.POSITIVE_INFINITY;
    for (const child of this.#busyChildren) soonest = Math.min(soonest, child.#msUntilChange());
    return soonest;
  }
}
