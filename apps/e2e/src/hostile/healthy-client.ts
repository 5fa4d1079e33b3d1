import { connect, type Socket } from 'node:net';
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';
import { sleep } from '../harness/sleep.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PAUSE_MS = 5;
const WARM_UP_RECORDS = 50;
const TOPIC_PARTITION = 0;

/** How the client has fared since the last look. */
export interface HealthReport {
  readonly acknowledged: number;
  readonly slowestMs: number;
}

/**
 * An ordinary client, kafkajs unmodified, that goes on producing and consuming one record after the
 * other while others do what they like. It does not retry: what goes wrong once, shows.
 */
export class HealthyClient {
  readonly #producer: Producer;
  readonly #consumer: Consumer;
  readonly #topic: string;
  readonly #problems: string[] = [];
  #socketsOpened = 0;
  #isSettled = false;
  #isRunning = true;
  #acknowledged = 0;
  #consumed = 0;
  #seen: { acknowledged: number; slowestMs: number } = { acknowledged: 0, slowestMs: 0 };
  #sentAtMs: number | undefined;
  #producing: Promise<void> | undefined;

  private constructor(bootstrap: string, topic: string) {
    const kafka = new Kafka({
      clientId: 'healthy',
      brokers: [bootstrap],
      logLevel: logLevel.NOTHING,
      socketFactory: ({ host, port, onConnect }) => this.#openSocket(host, port, onConnect),
    });
    this.#topic = topic;
    this.#producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
    this.#consumer = kafka.consumer({ groupId: 'healthy', retry: { retries: 0 } });
  }

  /** Starts one, and waits until records flow. The topic must be there. */
  static async start(bootstrap: string, topic: string): Promise<HealthyClient> {
    const client = new HealthyClient(bootstrap, topic);
    await client.#start();
    return client;
  }

  /** Records that were acknowledged so far. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /**
   * What has happened since the last call.
   *
   * @throws Error when something went wrong, or nothing went on
   */
  report(): HealthReport {
    const [problem] = this.#problems;
    if (problem !== undefined) {
      throw new Error(`the healthy client suffers: ${this.#problems.splice(0).join('; ')}`);
    }
    const waitingMs = this.#sentAtMs === undefined ? 0 : performance.now() - this.#sentAtMs;
    const acknowledged = this.#acknowledged - this.#seen.acknowledged;
    const slowestMs = Math.max(this.#seen.slowestMs, waitingMs);
    this.#seen = { acknowledged: this.#acknowledged, slowestMs: 0 };
    return { acknowledged, slowestMs };
  }

  /**
   * Ends it.
   *
   * @throws Error when the consumer does not get all that was acknowledged
   */
  async stop(): Promise<string> {
    this.#isRunning = false;
    await this.#producing;
    await waitUntil('the healthy consumer to have everything', () =>
      this.#consumed >= this.#acknowledged
        ? undefined
        : `${this.#consumed} of ${this.#acknowledged} records`,
    );
    this.report();
    this.#isSettled = false;
    await Promise.all([this.#producer.disconnect(), this.#consumer.disconnect()]);
    return `${this.#acknowledged} records produced and consumed over ${this.#socketsOpened} connections`;
  }

  async #start(): Promise<void> {
    await this.#producer.connect();
    await this.#consumer.connect();
    this.#consumer.on('consumer.crash', ({ payload }) => {
      this.#problems.push(`the consumer crashed: ${payload.error.message}`);
    });
    await this.#consumer.subscribe({ topics: [this.#topic], fromBeginning: true });
    await this.#consumer.run({
      eachMessage: async ({ message }) => this.#accept(message.value?.toString()),
    });
    this.#producing = this.#produce();
    await waitUntil('the healthy client to be under way', () => {
      this.report();
      return this.#consumed >= WARM_UP_RECORDS ? undefined : `${this.#consumed} records`;
    });
    this.#isSettled = true;
  }

  #accept(value: string | undefined): void {
    if (value !== String(this.#consumed) && this.#problems.length < 10) {
      this.#problems.push(`consumed ${value}, expected ${this.#consumed}`);
    }
    this.#consumed += 1;
  }

  async #produce(): Promise<void> {
    for (let next = 0; this.#isRunning; next += 1) {
      const startedMs = performance.now();
      this.#sentAtMs = startedMs;
      try {
        await this.#producer.send({
          topic: this.#topic,
          acks: -1,
          messages: [{ value: String(next), partition: TOPIC_PARTITION }],
        });
      } catch (error) {
        this.#problems.push(`producing failed: ${String(error)}`);
        return;
      } finally {
        this.#sentAtMs = undefined;
      }
      this.#acknowledged += 1;
      const ms = performance.now() - startedMs;
      this.#seen.slowestMs = Math.max(this.#seen.slowestMs, ms);
      await sleep(PAUSE_MS);
    }
  }

  #openSocket(host: string, port: number, onConnect: () => void): Socket {
    this.#socketsOpened += 1;
    if (this.#isSettled) this.#problems.push('a connection was opened anew');
    const socket = connect({ host, port, noDelay: true }, onConnect);
    socket.once('close', () => {
      if (this.#isSettled) this.#problems.push('a connection was closed');
    });
    return socket;
  }
}
