import { MessageChannel } from 'node:worker_threads';

// One channel for all: a message to oneself comes back behind the I/O that is due, which a promise alone
// does not wait for. Unlike a timer of 0 ms it does not depend on whose clock the caller runs by.
class TurnOfLoop {
  readonly #waiting: (() => void)[] = [];
  readonly #channel = new MessageChannel();

  constructor() {
    this.#channel.port2.on('message', () => this.#run());
    this.#channel.port2.unref();
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) > 1) return;
      // Somebody waits: the process must not end before the answer.
      this.#channel.port2.ref();
      this.#channel.port1.postMessage(undefined);
    });
  }

  #run(): void {
    this.#channel.port2.unref();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

let shared: TurnOfLoop | undefined;

/** Lets everything else on the event loop have its turn, between slices of work that block it. */
export function turnOfLoop(): Promise<void> {
  shared ??= new TurnOfLoop();
  return shared.next();
}
