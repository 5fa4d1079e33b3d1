import { MessageChannel, type MessagePort } from 'node:worker_threads';

/**
 * Keeps the thread from exiting while something is awaited that only another thread can bring about:
 * the event loop does not count `Atomics.waitAsync` among the things that are still to come.
 */
export class KeepAlive {
  #reasons = 0;
  #hasEnded = false;
  /** Listens, which counts, but nothing is ever sent to it. */
  #port: MessagePort | undefined = undefined;

  hold(): void {
    this.#reasons += 1;
    if (this.#reasons > 1) return;
    if (this.#port === undefined) {
      this.#port = new MessageChannel().port1;
      this.#port.on('message', () => undefined);
    } else this.#port.ref();
  }

  release(): void {
    this.#reasons -= 1;
    if (this.#reasons > 0) return;
    if (this.#hasEnded) this.#close();
    else this.#port?.unref();
  }

  /** Gives the port up once nothing is awaited any more. */
  end(): void {
    this.#hasEnded = true;
    if (this.#reasons === 0) this.#close();
  }

  #close(): void {
    this.#port?.close();
    this.#port = undefined;
  }
}
