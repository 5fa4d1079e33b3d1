/** An encoded response, length prefix included. */
export interface OutgoingResponse {
  readonly chunks: readonly Buffer[];
  /** Called once when the chunks were handed to the operating system, or never will be. */
  readonly release?: (() => void) | undefined;
}

interface Slot {
  response: OutgoingResponse | undefined;
  done: boolean;
}

/** Slots of answers that have left are dropped in lots of this many. */
const MAX_EMITTED_SLOTS = 64;

/**
 * Answers leave a connection in the order in which the requests came, whatever order they become
 * ready in. A request without an answer (`acks=0`) keeps its place too.
 */
export class ResponseQueue {
  readonly #emit: (response: OutgoingResponse) => void;
  #slots: Slot[] = [];
  #head = 0;
  #discarded = false;

  constructor(emit: (response: OutgoingResponse) => void) {
    this.#emit = emit;
  }

  /** Requests that were begun and whose answer has not left. */
  get pending(): number {
    return this.#slots.length - this.#head;
  }

  /** Keeps the next place in the order; the returned function fills it, at most once. */
  reserve(): (response: OutgoingResponse | undefined) => void {
    const slot: Slot = { response: undefined, done: false };
    this.#slots.push(slot);
    return (response) => {
      if (slot.done) return;
      slot.done = true;
      if (this.#discarded) {
        response?.release?.();
        return;
      }
      slot.response = response;
      if (this.#slots[this.#head] === slot) this.#advance();
    };
  }

  /** Releases every answer that is ready but has not left, and each one that becomes ready later. */
  discard(): void {
    this.#discarded = true;
    for (const slot of this.#slots.slice(this.#head)) slot.response?.release?.();
    this.#slots = [];
    this.#head = 0;
  }

  #advance(): void {
    for (;;) {
      const slot = this.#slots[this.#head];
      if (slot === undefined || !slot.done) break;
      this.#head += 1;
      const { response } = slot;
      slot.response = undefined;
      if (response !== undefined) this.#emit(response);
    }
    this.#forgetEmitted();
  }

  /** A client that pipelines may never let the queue become empty, so it is not waited for. */
  #forgetEmitted(): void {
    const isEmpty = this.#head === this.#slots.length;
    if (!isEmpty && this.#head < MAX_EMITTED_SLOTS) return;
    this.#slots = isEmpty ? [] : this.#slots.slice(this.#head);
    this.#head = 0;
  }
}
