import type { BrokerProcess } from '../harness/broker-process.ts';
import { sleep } from '../harness/sleep.ts';
import { specialOffsets } from '../harness/special-offsets.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Client } from './client.ts';
import type { CommittedProgress } from './committed-progress.ts';

const VALUES_IN_REQUEST = 25;
const PAUSE_MS = 40;

/** Sends to all partitions of a topic until it is stopped, so that a group is never without work. */
export class GroupTraffic {
  readonly #client: Client;
  readonly #topic: string;
  readonly #partitions: number;
  #isStopped = false;
  #errors = 0;
  readonly #sending: Promise<void>;

  constructor(client: Client, topic: string, partitions: number) {
    this.#client = client;
    this.#topic = topic;
    this.#partitions = partitions;
    this.#sending = this.#send();
  }

  /** Requests that failed, as they do while the broker is away. */
  get errors(): number {
    return this.#errors;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let round = 0; !this.#isStopped; round += 1) {
      const values = Array.from({ length: VALUES_IN_REQUEST }, (_, index) => `${round}-${index}`);
      for (let partition = 0; partition < this.#partitions; partition += 1) {
        try {
          await this.#client.send({ topic: this.#topic, partition, values });
        } catch {
          this.#errors += 1;
        }
      }
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Waits until a group has committed all that is in a topic, and checks that each record counts once.
 *
 * @returns records in all
 */
export async function assertAllOnce(
  broker: BrokerProcess,
  client: Client,
  {
    groupId,
    topic,
    partitions,
    progress,
  }: {
    readonly groupId: string;
    readonly topic: string;
    readonly partitions: number;
    readonly progress: CommittedProgress;
  },
): Promise<number> {
  const ends: number[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    ends.push((await specialOffsets(broker.bootstrap, topic, partition)).latest);
  }
  await waitUntil(
    'all to be committed',
    async () => {
      const committed = await client.committed(groupId, topic);
      const isDone = ends.every((end, partition) => committed.get(partition) === end);
      return isDone ? undefined : `${JSON.stringify([...committed])} of ${JSON.stringify(ends)}`;
    },
    { everyMs: 250 },
  );
  for (const [partition, to] of ends.entries()) progress.assertOnce(partition, { from: 0, to });
  return ends.reduce((sum, end) => sum + end, 0);
}
