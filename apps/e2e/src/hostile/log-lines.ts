import type { BrokerLogLine, BrokerProcess } from '../harness/broker-process.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CLOSED = /^Connection closed: /;
const SETTLE_LOOKS = 3;

/**
 * The log lines of a broker as they come, a portion at a time. A process keeps the last 2,000 lines, so
 * that portions must be taken before there are as many.
 */
export class LogLines {
  readonly #broker: BrokerProcess;
  readonly #grave: BrokerLogLine[] = [];
  #last: BrokerLogLine | undefined;
  #closed = 0;
  #expected = 0;

  constructor(broker: BrokerProcess) {
    this.#broker = broker;
    this.#last = broker.log.at(-1);
  }

  /** Lines about connections that were closed, so far. */
  get closedConnections(): number {
    this.#take();
    return this.#closed;
  }

  /** Lines that there should be. */
  get expected(): number {
    return this.#expected;
  }

  /** Lines of the level `error`, so far. */
  get errors(): readonly BrokerLogLine[] {
    this.#take();
    return this.#grave;
  }

  /**
   * Notes that the broker was made to close connections, and waits until it has told of each.
   *
   * @throws Error when it tells of fewer, or of more
   */
  async expectClosed(connections: number): Promise<void> {
    this.#expected += connections;
    await waitUntil(
      `a log line for each of ${this.#expected} closed connections`,
      () => {
        const found = this.closedConnections;
        return found >= this.#expected ? undefined : `${found} lines`;
      },
      { deadlineMs: 5000, everyMs: 10 },
    ).catch((error: unknown) => this.#resynchronize(error));
    if (this.#closed > this.#expected) {
      const what = `${this.#closed} log lines tell of ${this.#expected} closed connections`;
      this.#resynchronize(new Error(`${what}: ${this.#last?.message}`));
    }
  }

  /** Takes the lines as they are, when it cannot be said how many there must be exactly. */
  async settle(): Promise<number> {
    let found = -1;
    let looks = 0;
    await waitUntil(
      'the log lines to come to an end',
      () => {
        const now = this.closedConnections;
        looks = now === found ? looks + 1 : 0;
        found = now;
        return looks >= SETTLE_LOOKS ? undefined : 'there are more';
      },
      { everyMs: 30 },
    );
    const more = this.#closed - this.#expected;
    this.#expected = this.#closed;
    return more;
  }

  /** One miscount is one failed check, not all that follow. */
  #resynchronize(error: unknown): never {
    this.#expected = this.#closed;
    throw error;
  }

  #take(): void {
    const { log } = this.#broker;
    const from = this.#last === undefined ? 0 : log.lastIndexOf(this.#last) + 1;
    if (from === 0 && this.#last !== undefined) throw new Error('log lines were lost on the way');
    for (const line of log.slice(from)) {
      if (CLOSED.test(line.message)) this.#closed += 1;
      if (line.level === 'error') this.#grave.push(line);
    }
    this.#last = log.at(-1);
  }
}
