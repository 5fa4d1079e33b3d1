import { KeyedQuota, type Reservation, WindowedQuota } from '@logloft/quota';
import type { SoakContext, Workload } from './workload.ts';

/** A total, two parts of it, and one for each key. */
interface Tree {
  readonly total: WindowedQuota;
  readonly parts: readonly WindowedQuota[];
  readonly keys: KeyedQuota;
}

/** A closed tree, and from when on all that was dropped in it must be back. */
interface RetiredTree {
  readonly tree: Tree;
  readonly cleanAtMs: number;
}

const LIMIT = 2_000_000;
/** A limit is changed to a tenth, to ten times, and back. */
const FACTORS = [0.1, 1, 10];
const KEYS = 200;
const MAX_HELD = 200;
const MAX_HOLD_MS = 15_000;
const REOPEN_ONE_IN = 20_000;

/** Reservations at once and with waits; settled, released or dropped; limits changed under way. */
export class QuotaWorkload implements Workload {
  readonly name = 'quota';
  readonly #context: SoakContext;
  #tree: Tree;
  #held: Reservation[] = [];
  #retired: RetiredTree[] = [];
  #reserved = 0;
  #dropped = 0;
  #expired = 0;
  #changed = 0;
  #reopened = 0;

  constructor(context: SoakContext) {
    this.#context = context;
    this.#tree = this.#make();
  }

  step(): void {
    const { chance, signals } = this.#context;
    const choice = chance.below(64);
    if (choice < 16) this.#reserve();
    else if (choice < 28) this.#tryReserve();
    else if (choice < 56) this.#endOne();
    else if (choice < 60) this.#ask();
    else if (choice < 62) signals.abortOne();
    else if (choice < 63) this.#changeLimit();
    else if (chance.oneIn(REOPEN_ONE_IN / 64)) this.#reopen();
    if (this.#held.length > MAX_HELD) this.#endOne();
  }

  audit(): void {
    const nowMs = this.#context.clock.monotonic();
    this.#retired = this.#retired.filter(({ tree, cleanAtMs }) => {
      if (nowMs < cleanAtMs) return true;
      const { reservedBytes, waiting } = tree.total;
      if (reservedBytes !== 0) this.#note(`${reservedBytes} B reserved in a closed quota`);
      if (waiting !== 0) this.#note(`${waiting} wait at a closed quota`);
      return false;
    });
  }

  giveBack(): void {
    this.#setLimit(1);
    while (this.#held.length > 0) this.#context.chance.takeFrom(this.#held)?.release();
    this.audit();
  }

  get outstandingBytes(): number {
    const trees = [this.#tree, ...this.#retired.map(({ tree }) => tree)];
    return trees.reduce((sum, { total }) => sum + total.reservedBytes, 0);
  }

  describe(): string {
    return (
      `${this.name} reserved ${this.#reserved} times, ${this.#dropped} dropped ` +
      `(${this.#expired} expired), ${this.#changed} limits changed, made anew ${this.#reopened} times`
    );
  }

  async close(): Promise<void> {
    await this.#tree.keys.close();
    await this.#tree.total.close();
  }

  #make(): Tree {
    const { clock, metrics } = this.#context;
    const total = new WindowedQuota({
      clock,
      metrics,
      name: { sensor: 'soak-total', group: 'soak', description: 'of all parts' },
      limit: LIMIT,
      samples: 11,
      windowSeconds: 1,
      maxWaiters: 200,
      maxHoldMs: MAX_HOLD_MS,
      onHoldExpired: () => {
        this.#expired += 1;
      },
    });
    const parts = [
      total.child({ limit: LIMIT / 2, maxWaiters: 100, priority: 1 }),
      total.child({ limit: LIMIT / 2, maxWaiters: 100, weight: 3 }),
    ];
    const keys = new KeyedQuota({ parent: total, limit: LIMIT / 10, maxWaiters: 20 });
    return { total, parts, keys };
  }

  #any(): WindowedQuota {
    const { chance } = this.#context;
    const { total, parts, keys } = this.#tree;
    const choice = chance.below(8);
    return parts[choice] ?? (choice < 4 ? total : keys.forKey(`key-${chance.below(KEYS)}`));
  }

  #reserve(): void {
    const { chance, signals, waits } = this.#context;
    const tree = this.#tree;
    const timeoutMs = chance.oneIn(4) ? undefined : 1 + chance.below(5000);
    const wait = this.#any().reserve(this.#estimate(), { signal: signals.signal(), timeoutMs });
    waits.watch(wait, (reservation) => {
      // It may have been granted just before its quota was closed.
      if (tree === this.#tree) this.#hold(reservation);
      else reservation.release();
    });
  }

  #tryReserve(): void {
    const reservation = this.#any().tryReserve(this.#estimate());
    if (reservation !== undefined) this.#hold(reservation);
  }

  #estimate(): number {
    const { chance } = this.#context;
    return chance.oneIn(16) ? chance.below(400_000) : chance.below(20_000);
  }

  #hold(reservation: Reservation): void {
    this.#reserved += 1;
    this.#held.push(reservation);
  }

  #endOne(): void {
    const { chance } = this.#context;
    const reservation = chance.takeFrom(this.#held);
    if (reservation === undefined) return;
    const choice = chance.below(16);
    if (choice < 10) reservation.settle(chance.below(reservation.estimate + 1));
    else if (choice < 15) reservation.release();
    else this.#dropped += 1;
  }

  #ask(): void {
    const quota = this.#any();
    if (quota.isExceeded()) quota.throttleTimeMs();
    else quota.record(this.#context.chance.below(5000));
  }

  #changeLimit(): void {
    const { chance } = this.#context;
    if (chance.oneIn(8)) this.#setLimit(FACTORS[chance.below(FACTORS.length)] ?? 1);
  }

  #setLimit(factor: number): void {
    this.#changed += 1;
    const { total, parts, keys } = this.#tree;
    total.updateLimit(LIMIT * factor);
    for (const part of parts) part.updateLimit((LIMIT / 2) * factor);
    keys.updateLimit((LIMIT / 10) * factor);
  }

  /** Closes the tree while others wait, and goes on with a new one. */
  #reopen(): void {
    const tree = this.#tree;
    const held = this.#held;
    this.#held = [];
    void tree.keys.close();
    void tree.total.close();
    for (const reservation of held) reservation.release();
    this.#retired.push({ tree, cleanAtMs: this.#context.clock.monotonic() + MAX_HOLD_MS });
    this.#tree = this.#make();
    this.#reopened += 1;
  }

  #note(text: string): void {
    this.#context.findings.note('memory', `${this.name}: ${text}`);
  }
}
