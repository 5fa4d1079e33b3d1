import { PageTable } from './page-table.ts';
import { NO_SLOT, type SharedLayout, WORD } from './shared-layout.ts';
import { SLOT_STATE, TicketQueue } from './ticket-queue.ts';

/**
 * What the threads of a shared pool do to their common memory. Every method must be called inside the
 * lock, except where it says otherwise; each leaves the accounts settled.
 */
export class SharedCore {
  readonly pages: PageTable;
  readonly queue: TicketQueue;
  readonly #layout: SharedLayout;

  constructor(layout: SharedLayout) {
    this.#layout = layout;
    this.pages = new PageTable(layout);
    this.queue = new TicketQueue(layout);
  }

  /** May be read outside the lock. */
  get isClosed(): boolean {
    return Atomics.load(this.#layout.words, WORD.closed) === 1;
  }

  /** Gives a vacant seat to a new owner. Returns its id, which is never given again, or 0. */
  seat(): number {
    const { seats, words } = this.#layout;
    const seat = seats.indexOf(0);
    if (seat < 0) return 0;
    const generation = (words[WORD.generation] ?? 0) + 1;
    words[WORD.generation] = generation;
    const owner = generation * seats.length + seat;
    seats[seat] = owner;
    return owner;
  }

  isSeated(owner: number): boolean {
    return this.#layout.seats[owner % this.#layout.seats.length] === owner;
  }

  /** Gives up the seat of an owner that holds nothing any more. */
  leaveSeat(owner: number): void {
    if (this.pages.held().some(({ ownerId }) => ownerId === owner)) return;
    if (this.isSeated(owner)) this.#layout.seats[owner % this.#layout.seats.length] = 0;
  }

  /** Pages for `owner` if nobody waits and there are enough in a row: the first, or -1. */
  take(owner: number, count: number): number {
    if (this.queue.length > 0) return -1;
    const first = this.pages.find(count);
    if (first >= 0) this.pages.take(first, count, owner);
    return first;
  }

  /**
   * Takes pages back from `owner`, and serves those who wait. Pages that are not its own any more,
   * because it was reclaimed too early, are left alone: somebody else may have them.
   */
  give(owner: number, first: number, count: number): void {
    if (!this.pages.belongTo(owner, first, count)) return;
    this.pages.give(first, count);
    this.#serve();
  }

  /**
   * Ends a wait. Returns the first page when it was served already, and -1 otherwise; the slot is
   * vacant then.
   */
  cancel(slot: number): number {
    const state = this.queue.stateOf(slot);
    if (state === SLOT_STATE.waiting) {
      this.queue.unlink(slot);
      this.queue.vacate(slot);
      this.#serve();
      return -1;
    }
    const first = state === SLOT_STATE.granted ? this.queue.firstPageOf(slot) : -1;
    this.queue.vacate(slot);
    return first;
  }

  /** Refuses all who wait, in their order, and all who come from now on. */
  close(): void {
    Atomics.store(this.#layout.words, WORD.closed, 1);
    for (let slot = this.queue.head; slot !== NO_SLOT; slot = this.queue.head) {
      this.queue.unlink(slot);
      this.queue.setState(slot, SLOT_STATE.refused);
      this.#wake(slot);
    }
  }

  /**
   * Takes back all that `owner` has, whose thread is dead, and mends what it may have left half done
   * if it died inside the lock. Returns the pages it had.
   */
  reclaim(owner: number): number {
    for (const slot of this.queue.usedSlots()) this.#mend(slot, owner);
    const reclaimed = this.pages.reclaim(owner);
    this.queue.relink();
    if (this.isSeated(owner)) this.#layout.seats[owner % this.#layout.seats.length] = 0;
    // It may have died while it refused those who wait.
    if (this.isClosed) this.close();
    this.#serve();
    // It may have died between a grant and the wake-up: everybody looks again.
    for (const slot of this.queue.usedSlots()) this.#wake(slot);
    return reclaimed;
  }

  #mend(slot: number, deadOwner: number): void {
    if (this.queue.stateOf(slot) === SLOT_STATE.granting) {
      const owner = this.queue.ownerOf(slot);
      const first = this.queue.firstPageOf(slot);
      // Marked or not: they were free before, and nobody was told.
      for (let page = first; page < first + this.queue.pagesOf(slot); page += 1) {
        if (this.pages.belongTo(owner, page, 1)) this.pages.give(page, 1);
      }
      this.queue.setState(slot, SLOT_STATE.waiting);
    }
    if (this.queue.ownerOf(slot) === deadOwner) this.queue.vacate(slot);
  }

  /** Serves the head, then the next, until one has to go on waiting. */
  #serve(): void {
    for (let slot = this.queue.head; slot !== NO_SLOT; slot = this.queue.head) {
      const count = this.queue.pagesOf(slot);
      const first = this.pages.find(count);
      if (first < 0) return;
      this.queue.setFirstPage(slot, first);
      this.queue.setState(slot, SLOT_STATE.granting);
      this.pages.take(first, count, this.queue.ownerOf(slot));
      this.queue.unlink(slot);
      this.queue.setState(slot, SLOT_STATE.granted);
      this.#wake(slot);
    }
  }

  #wake(slot: number): void {
    if (this.queue.wakeSleeper(slot)) return;
    const { mailboxes } = this.#layout;
    const seat = this.queue.ownerOf(slot) % mailboxes.length;
    Atomics.add(mailboxes, seat, 1);
    Atomics.notify(mailboxes, seat);
  }
}
