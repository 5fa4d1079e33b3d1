import { type RandomSource, randomBelow } from '@logloft/clock';
import { createTopicsApi, deleteTopicsApi, ErrorCode, ZERO_UUID } from '@logloft/protocol';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { sleep } from '../harness/sleep.ts';

const PREFIX = 'churn-';
const MAX_PAUSE_MS = 200;
const RECONNECT_MS = 20;
const KEPT_TOPICS = 2;

/** What is known of a topic: what was acknowledged, or that an answer is missing. */
type Fate = 'present' | 'absent' | 'in doubt';

/** Makes topics and deletes them again, and knows which of that was acknowledged. */
export class TopicChurn {
  readonly #bootstrap: string;
  readonly #random: RandomSource;
  readonly #fates = new Map<string, Fate>();
  readonly #problems: string[] = [];
  #made = 0;
  #isOpen = false;
  #running: Promise<void> | undefined;

  constructor(bootstrap: string, random: RandomSource) {
    this.#bootstrap = bootstrap;
    this.#random = random;
  }

  /** Begins, or goes on. */
  resume(): void {
    this.#isOpen = true;
    this.#running ??= this.#run();
  }

  async pause(): Promise<void> {
    this.#isOpen = false;
    await this.#running;
    this.#running = undefined;
  }

  /**
   * Holds the topics that the broker has against what it acknowledged; what was in doubt is known then.
   *
   * @returns topics made so far
   * @throws Error when a topic is lost, or has come back
   */
  verify(found: Iterable<string>): number {
    const [problem] = this.#problems;
    if (problem !== undefined) throw new Error(problem);
    const present = new Set([...found].filter((name) => name.startsWith(PREFIX)));
    for (const [name, fate] of this.#fates) {
      const is: Fate = present.has(name) ? 'present' : 'absent';
      if (fate !== 'in doubt' && fate !== is) {
        throw new Error(`topic ${name} is ${is}, but it was acknowledged to be ${fate}`);
      }
      this.#fates.set(name, is);
    }
    for (const name of present) {
      if (!this.#fates.has(name)) throw new Error(`topic ${name} was never made`);
    }
    return this.#made;
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      try {
        const connection = await KafkaConnection.open(this.#bootstrap);
        try {
          while (this.#isOpen) await this.#step(connection);
        } finally {
          connection.close();
        }
      } catch {
        // The broker was killed, or is not there yet.
        if (this.#isOpen) await sleep(RECONNECT_MS);
      }
    }
  }

  async #step(connection: KafkaConnection): Promise<void> {
    const present = [...this.#fates].filter(([, fate]) => fate === 'present');
    const [oldest] = present;
    if (oldest !== undefined && present.length > KEPT_TOPICS) {
      await this.#delete(connection, oldest[0]);
    } else {
      this.#made += 1;
      await this.#create(connection, `${PREFIX}${this.#made}`);
    }
    await sleep(randomBelow(this.#random, MAX_PAUSE_MS));
  }

  async #create(connection: KafkaConnection, name: string): Promise<void> {
    this.#fates.set(name, 'in doubt');
    const { topics } = await connection.request(createTopicsApi, 7, {
      topics: [{ name, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }],
      timeoutMs: 10_000,
      validateOnly: false,
    });
    this.#note(name, 'present', topics[0]?.errorCode);
  }

  async #delete(connection: KafkaConnection, name: string): Promise<void> {
    this.#fates.set(name, 'in doubt');
    const { responses } = await connection.request(deleteTopicsApi, 6, {
      topics: [{ name, topicId: ZERO_UUID }],
      topicNames: [],
      timeoutMs: 10_000,
    });
    this.#note(name, 'absent', responses[0]?.errorCode);
  }

  #note(name: string, fate: Fate, errorCode: number | undefined): void {
    if (errorCode === ErrorCode.NONE) this.#fates.set(name, fate);
    else this.#problems.push(`making ${name} ${fate}: error ${errorCode}`);
  }
}
