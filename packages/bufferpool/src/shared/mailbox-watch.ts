/**
 * Calls back whenever the count in the mailbox of a thread has changed, by one pending wait however
 * many waiters the thread has. A wait that is pending stays so when nobody needs it: it costs nothing
 * and holds nobody.
 */
export class MailboxWatch {
  readonly #mailboxes: Int32Array<SharedArrayBuffer>;
  readonly #seat: number;
  readonly #onChange: () => boolean;
  #isPending = false;

  /** @param onChange looks after the waiters of this thread; returns whether any is left */
  constructor(mailboxes: Int32Array<SharedArrayBuffer>, seat: number, onChange: () => boolean) {
    this.#mailboxes = mailboxes;
    this.#seat = seat;
    this.#onChange = onChange;
  }

  /** Watches from now on, if it does not yet. */
  start(): void {
    if (this.#isPending) return;
    for (;;) {
      // The count is read before the waiters are looked at, so that no change falls in between.
      const seen = Atomics.load(this.#mailboxes, this.#seat);
      if (!this.#onChange()) return;
      const wait = Atomics.waitAsync(this.#mailboxes, this.#seat, seen);
      if (!wait.async) continue;
      this.#isPending = true;
      void wait.value.then(() => {
        this.#isPending = false;
        this.start();
      });
      return;
    }
  }
}
