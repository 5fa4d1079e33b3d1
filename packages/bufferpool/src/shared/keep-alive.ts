import { MessageChannel, type MessagePort } from 'node:worker_threads';

/**
 * Keeps the thread from exiting while something is awaited that only another thread can bring about:
 * the event loop does not count `Atomics.waitAsync` among the things that are still to come.
 */
export class KeepAlive {
  #reasons = 0;
  #port: MessagePort | undefined = undefined;

  hold(): void {
    this.#reasons += 1;
    if (this.#reasons > 1) return;
    // A port that listens counts; nothing is ever sent to it.
    this.#port = new MessageChannel().port1;
    this.#port.on('message', () => undefined);
  }

  release(): void {
    this.#reasons -= 1;
    if (this.#reasons > 0) return;
    this.#port?.close();
    this.#port = undefined;
  }
}
