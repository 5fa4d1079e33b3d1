import { WORD } from './shared-layout.ts';

/** Looks at a lock that is held this often before the thread goes to sleep: some microseconds. */
const SPINS = 200;

/**
 * The one lock of a shared pool, which holds the id of whoever is inside. It is held for microseconds.
 * A thread that is terminated inside never leaves; {@link SharedLock.seize} takes over from it, and so
 * nobody waits here without a limit.
 */
export class SharedLock {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #owner: number;

  constructor(words: Int32Array<SharedArrayBuffer>, owner: number) {
    this.#words = words;
    this.#owner = owner;
  }

  /** Enters within about `patienceMs`, during which the thread sleeps. Returns whether it is inside. */
  tryEnter(patienceMs: number): boolean {
    for (let spin = 0; spin < SPINS; spin += 1) {
      if (this.#holder === 0 && this.#enter()) return true;
    }
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 1) {
      const holder = this.#holder;
      if (holder !== 0) {
        Atomics.add(this.#words, WORD.contenders, 1);
        Atomics.wait(this.#words, WORD.lock, holder, 1);
        Atomics.sub(this.#words, WORD.contenders, 1);
      }
      if (this.#enter()) return true;
    }
    return false;
  }

  leave(): void {
    Atomics.store(this.#words, WORD.lock, 0);
    if (Atomics.load(this.#words, WORD.contenders) > 0) Atomics.notify(this.#words, WORD.lock, 1);
  }

  /** Takes the lock over from `owner`, if it is the one inside. Only right when its thread is dead. */
  seize(owner: number): boolean {
    return Atomics.compareExchange(this.#words, WORD.lock, owner, this.#owner) === owner;
  }

  /** Resolves when the lock may be free, or after `timeoutMs`; the thread runs on meanwhile. */
  async changed(timeoutMs: number): Promise<void> {
    const holder = this.#holder;
    if (holder === 0) return;
    Atomics.add(this.#words, WORD.contenders, 1);
    const wait = Atomics.waitAsync(this.#words, WORD.lock, holder, timeoutMs);
    if (wait.async) await wait.value;
    Atomics.sub(this.#words, WORD.contenders, 1);
  }

  get #holder(): number {
    return Atomics.load(this.#words, WORD.lock);
  }

  #enter(): boolean {
    return Atomics.compareExchange(this.#words, WORD.lock, 0, this.#owner) === 0;
  }
}
