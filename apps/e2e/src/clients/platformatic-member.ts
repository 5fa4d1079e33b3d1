import type { Consumer, Message } from '@platformatic/kafka';
import type { Member, MemberOptions } from './client.ts';

/** A consumer of text. */
export type TextConsumer = Consumer<string, string, string, string>;

type TextMessage = Message<string, string, string, string>;

const MESSAGES_IN_COMMIT = 50;

/** What a member is made of. */
export interface MemberParts {
  readonly consumer: TextConsumer;
  readonly stream: AsyncIterable<TextMessage> & {
    /** Messages that are waiting to be taken. */
    readonly readableLength: number;
  };
  readonly close: () => Promise<void>;
}

interface Run {
  from: number;
  to: number;
  readonly leaderEpoch: number;
}

/**
 * A member that commits as it goes. The stream keeps what it fetched before a rebalance, also of
 * partitions that were given away and came back: so after each one, a partition goes on where the
 * group's commit stands, and what is before that is left out.
 */
export class PlatformaticMember implements Member {
  readonly #options: MemberOptions;
  readonly #parts: MemberParts;
  readonly #positions = new Map<number, number>();
  readonly #pending = new Map<number, Run>();
  #isLeaving = false;
  readonly #reading: Promise<unknown>;

  constructor(options: MemberOptions, parts: MemberParts) {
    this.#options = options;
    this.#parts = parts;
    parts.consumer.on('consumer:group:join', () => {
      this.#positions.clear();
      this.#pending.clear();
    });
    this.#reading = this.#read().catch((error: unknown) => {
      // Closing ends the stream with an error; any other shows, since what it had to read does not count.
      if (!this.#isLeaving) console.error(`${options.name} stopped reading:`, error);
    });
  }

  get partitions(): readonly number[] {
    const { assignments } = this.#parts.consumer;
    return assignments?.find(({ topic }) => topic === this.#options.topic)?.partitions ?? [];
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#parts.close();
    await this.#reading;
  }

  async #read(): Promise<void> {
    for await (const message of this.#parts.stream) {
      if (this.#isLeaving) return;
      await this.#take(message);
      // Nothing waits behind it, so nothing would fill up what is less than a commit.
      if (this.#parts.stream.readableLength === 0) await this.#commitAll();
    }
  }

  async #take({ partition, offset, leaderEpoch }: TextMessage): Promise<void> {
    if (!this.partitions.includes(partition)) return;
    const at = Number(offset);
    const position = this.#positions.get(partition) ?? (await this.#committedOffset(partition));
    this.#positions.set(partition, position);
    if (at < position) return;
    this.#positions.set(partition, at + 1);
    const run = this.#pending.get(partition);
    if (run === undefined) this.#pending.set(partition, { from: at, to: at + 1, leaderEpoch });
    else run.to = at + 1;
    const { from = at, to = at + 1 } = this.#pending.get(partition) ?? {};
    if (to - from >= MESSAGES_IN_COMMIT) await this.#commit(partition);
  }

  async #committedOffset(partition: number): Promise<number> {
    const { topic } = this.#options;
    const found = await this.#parts.consumer.listCommittedOffsets({
      topics: [{ topic, partitions: [partition] }],
    });
    return Math.max(Number(found.get(topic)?.[partition] ?? found.get(topic)?.[0] ?? 0), 0);
  }

  async #commitAll(): Promise<void> {
    for (const partition of [...this.#pending.keys()]) await this.#commit(partition);
  }

  async #commit(partition: number): Promise<void> {
    const run = this.#pending.get(partition);
    this.#pending.delete(partition);
    if (run === undefined || !this.partitions.includes(partition)) return;
    const { from, to, leaderEpoch } = run;
    const { name: member, topic, progress } = this.#options;
    const { consumer } = this.#parts;
    const generation = consumer.generationId;
    try {
      await consumer.commit({
        offsets: [{ topic, partition, offset: BigInt(to), leaderEpoch }],
      });
      // The client joins again by itself and repeats the commit, perhaps for what it no longer has.
      const isUncertain = consumer.generationId !== generation;
      progress.add(partition, { member, from, to, isUncertain });
    } catch (error) {
      if (!isRefusal(error)) progress.add(partition, { member, from, to, isUncertain: true });
      // The group is being rebalanced, or the broker is away; who has the partition then goes on.
      this.#positions.delete(partition);
    }
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('needsRejoin' in error && error.needsRejoin === true) return true;
  return error instanceof AggregateError && error.errors.some(isRefusal);
}
