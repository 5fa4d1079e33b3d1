import type { RequestHeader } from '@logloft/protocol';
import type { ClientConnection } from '../network/connection.ts';
import type { ReceivedFrame } from '../network/frame-receiver.ts';
import type { RequestContext } from './handler.ts';

/** One request on its way through a handler: who holds its memory, and what goes when it is answered. */
export class Request implements RequestContext {
  readonly apiVersion: number;
  readonly clientId: string | null;
  readonly client: ClientConnection;
  readonly sent: (() => void)[] = [];
  readonly #frame: ReceivedFrame;
  // One hold is the synchronous part of the handler, the others were asked for.
  #holds = 1;

  constructor(frame: ReceivedFrame, header: RequestHeader, client: ClientConnection) {
    this.#frame = frame;
    this.apiVersion = header.apiVersion;
    this.clientId = header.clientId;
    this.client = client;
  }

  retainFrame(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#letGo();
    };
  }

  onSent(release: () => void): void {
    this.sent.push(release);
  }

  /** The handler has returned: without a hold of its own the frame goes now. */
  finishSynchronousPart(): void {
    this.#letGo();
  }

  /** There will be no answer: what was kept for it goes. */
  abandon(): void {
    for (const release of this.sent.splice(0)) release();
  }

  #letGo(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#frame.release();
  }
}
