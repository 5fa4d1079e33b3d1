import { NO_SLOT, type SharedLayout, SLOT, SLOT_WORDS, WORD } from './shared-layout.ts';

type SlotState = 'unused' | 'waiting' | 'granting' | 'granted' | 'refused';

/** What a slot of the queue is in. */
export const SLOT_STATE: Readonly<Record<SlotState, number>> = Object.freeze({
  unused: 0,
  waiting: 1,
  /** Between choosing the pages and having marked them: to be undone if the granting thread died. */
  granting: 2,
  granted: 3,
  /** The pool was closed while it waited. */
  refused: 4,
});

/**
 * Who waits, in the order of tickets that are given over all threads: a doubly linked list through
 * slots in the shared memory. State, owner and ticket of the slots are the truth; the links can be made
 * again from them. Every method must be called inside the lock, except {@link TicketQueue.stateOf},
 * {@link TicketQueue.firstPageOf} and {@link TicketQueue.vacate} by the owner of the slot.
 */
export class TicketQueue {
  readonly #layout: SharedLayout;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #slots: Int32Array<SharedArrayBuffer>;

  constructor(layout: SharedLayout) {
    this.#layout = layout;
    this.#words = layout.words;
    this.#slots = layout.slots;
  }

  get length(): number {
    return this.#words[WORD.queueLength] ?? 0;
  }

  /** The slot that waits longest, or {@link NO_SLOT}. */
  get head(): number {
    return this.#words[WORD.queueHead] ?? NO_SLOT;
  }

  /** Puts a waiter at the end. Returns its slot, or {@link NO_SLOT} when all are in use. */
  append(owner: number, pages: number, sleeps: boolean): number {
    const slot = this.#findUnused();
    if (slot === NO_SLOT) return NO_SLOT;
    this.#set(slot, SLOT.owner, owner);
    this.#set(slot, SLOT.pages, pages);
    this.#set(slot, SLOT.sleeps, sleeps ? 1 : 0);
    const ticket = this.#layout.nextTicket[0] ?? 0;
    this.#layout.nextTicket[0] = ticket + 1;
    this.#layout.tickets[slot] = ticket;
    this.setState(slot, SLOT_STATE.waiting);
    this.#link(slot);
    return slot;
  }

  /** Takes a slot out of the order; its state is the caller's to change. */
  unlink(slot: number): void {
    const previous = this.#get(slot, SLOT.previous);
    const next = this.#get(slot, SLOT.next);
    if (previous === NO_SLOT) this.#words[WORD.queueHead] = next;
    else this.#set(previous, SLOT.next, next);
    if (next === NO_SLOT) this.#words[WORD.queueTail] = previous;
    else this.#set(next, SLOT.previous, previous);
    this.#words[WORD.queueLength] = this.length - 1;
  }

  stateOf(slot: number): number {
    return Atomics.load(this.#slots, slot * SLOT_WORDS + SLOT.state);
  }

  setState(slot: number, state: number): void {
    Atomics.store(this.#slots, slot * SLOT_WORDS + SLOT.state, state);
  }

  ownerOf(slot: number): number {
    return this.#get(slot, SLOT.owner);
  }

  pagesOf(slot: number): number {
    return this.#get(slot, SLOT.pages);
  }

  firstPageOf(slot: number): number {
    return this.#get(slot, SLOT.firstPage);
  }

  setFirstPage(slot: number, page: number): void {
    this.#set(slot, SLOT.firstPage, page);
  }

  /** Gives a slot up that is out of the order. */
  vacate(slot: number): void {
    this.setState(slot, SLOT_STATE.unused);
  }

  /** Wakes the thread that sleeps on the slot itself. Returns whether there is to be one. */
  wakeSleeper(slot: number): boolean {
    if (this.#get(slot, SLOT.sleeps) === 0) return false;
    Atomics.notify(this.#slots, slot * SLOT_WORDS + SLOT.state);
    return true;
  }

  /** Sleeps while the slot is in `state`, for `timeoutMs` at most. */
  sleep(slot: number, state: number, timeoutMs: number): void {
    Atomics.wait(this.#slots, slot * SLOT_WORDS + SLOT.state, state, timeoutMs);
  }

  /** All slots that are in use, in no order. */
  usedSlots(): number[] {
    const used: number[] = [];
    for (let slot = 0; slot < this.#layout.tickets.length; slot += 1) {
      if (this.stateOf(slot) !== SLOT_STATE.unused) used.push(slot);
    }
    return used;
  }

  /** Makes the order again, from the states and tickets. */
  relink(): void {
    this.#words[WORD.queueHead] = NO_SLOT;
    this.#words[WORD.queueTail] = NO_SLOT;
    this.#words[WORD.queueLength] = 0;
    const { tickets } = this.#layout;
    const waiting = this.usedSlots().filter((slot) => this.stateOf(slot) === SLOT_STATE.waiting);
    waiting.sort((a, b) => (tickets[a] ?? 0) - (tickets[b] ?? 0));
    for (const slot of waiting) this.#link(slot);
  }

  #link(slot: number): void {
    const tail = this.#words[WORD.queueTail] ?? NO_SLOT;
    this.#set(slot, SLOT.previous, tail);
    this.#set(slot, SLOT.next, NO_SLOT);
    if (tail === NO_SLOT) this.#words[WORD.queueHead] = slot;
    else this.#set(tail, SLOT.next, slot);
    this.#words[WORD.queueTail] = slot;
    this.#words[WORD.queueLength] = this.length + 1;
  }

  #findUnused(): number {
    const count = this.#layout.tickets.length;
    const start = this.#words[WORD.nextSlot] ?? 0;
    for (let step = 0; step < count; step += 1) {
      const slot = (start + step) % count;
      if (this.stateOf(slot) !== SLOT_STATE.unused) continue;
      this.#words[WORD.nextSlot] = (slot + 1) % count;
      return slot;
    }
    return NO_SLOT;
  }

  #get(slot: number, field: number): number {
    return this.#slots[slot * SLOT_WORDS + field] ?? 0;
  }

  #set(slot: number, field: number, value: number): void {
    this.#slots[slot * SLOT_WORDS + field] = value;
  }
}
