import { type RandomSource, randomBelow } from '@logloft/clock';
import { ErrorCode, offsetCommitApi, offsetFetchApi } from '@logloft/protocol';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { sleep } from '../harness/sleep.ts';
import { waitUntil } from '../harness/wait-until.ts';

const GROUPS = ['ledger-a', 'ledger-b', '__proto__'];
const MAX_PAUSE_MS = 20;
const RECONNECT_MS = 20;
const RETRIABLE: ReadonlySet<number> = new Set([
  ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
  ErrorCode.COORDINATOR_NOT_AVAILABLE,
  ErrorCode.NOT_COORDINATOR,
]);

interface Committed {
  attempted: number;
  acknowledged: number;
}

/** Commits ever higher offsets of some groups, and knows which of them were acknowledged. */
export class OffsetCommitter {
  readonly #bootstrap: string;
  readonly #topic: string;
  readonly #random: RandomSource;
  readonly #groups = new Map<string, Committed>(
    GROUPS.map((group) => [group, { attempted: -1, acknowledged: -1 }]),
  );
  #isOpen = false;
  #running: Promise<void> | undefined;

  constructor(bootstrap: string, topic: string, random: RandomSource) {
    this.#bootstrap = bootstrap;
    this.#topic = topic;
    this.#random = random;
  }

  /** Begins to commit, or goes on. */
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
   * Holds what the broker has against what it acknowledged.
   *
   * @returns how many commits were acknowledged so far
   * @throws Error when a commit is lost, or there is one that was never made
   */
  async verify(): Promise<number> {
    const connection = await KafkaConnection.open(this.#bootstrap);
    try {
      let commits = 0;
      for (const [group, { attempted, acknowledged }] of this.#groups) {
        const found = await this.#fetch(connection, group);
        if (found < acknowledged || found > attempted) {
          throw new Error(
            `group ${group} has offset ${found}; ${acknowledged} was acknowledged, ${attempted} the last one sent`,
          );
        }
        commits += acknowledged + 1;
      }
      return commits;
    } finally {
      connection.close();
    }
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      try {
        const connection = await KafkaConnection.open(this.#bootstrap);
        try {
          while (this.#isOpen) await this.#commitNext(connection);
        } finally {
          connection.close();
        }
      } catch {
        // The broker was killed, or is not there yet.
        if (this.#isOpen) await sleep(RECONNECT_MS);
      }
    }
  }

  async #commitNext(connection: KafkaConnection): Promise<void> {
    const groups = [...this.#groups];
    const chosen = groups[randomBelow(this.#random, groups.length)];
    if (chosen === undefined) return;
    const [groupId, state] = chosen;
    const offset = state.attempted + 1;
    state.attempted = offset;
    const { topics } = await connection.request(offsetCommitApi, 8, {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionTimeMs: -1,
      topics: [
        {
          name: this.#topic,
          partitions: [
            {
              partitionIndex: 0,
              committedOffset: offset,
              committedLeaderEpoch: -1,
              commitTimestamp: -1,
              committedMetadata: `commit ${offset}`,
            },
          ],
        },
      ],
    });
    if (topics[0]?.partitions[0]?.errorCode === ErrorCode.NONE) state.acknowledged = offset;
    await sleep(randomBelow(this.#random, MAX_PAUSE_MS));
  }

  async #fetch(connection: KafkaConnection, groupId: string): Promise<number> {
    let offset = Number.NaN;
    await waitUntil(`the offsets of ${groupId}`, async () => {
      const answer = await connection.request(offsetFetchApi, 7, {
        groupId,
        topics: [{ name: this.#topic, partitionIndexes: [0] }],
        groups: [],
        requireStable: true,
      });
      if (RETRIABLE.has(answer.errorCode)) return `error ${answer.errorCode}`;
      const found = answer.topics[0]?.partitions[0];
      if (answer.errorCode !== ErrorCode.NONE || found?.errorCode !== ErrorCode.NONE) {
        throw new Error(`OffsetFetch of ${groupId}: ${JSON.stringify(answer)}`);
      }
      if (found.committedOffset >= 0 && found.metadata !== `commit ${found.committedOffset}`) {
        throw new Error(`OffsetFetch of ${groupId}: other metadata, ${JSON.stringify(found)}`);
      }
      offset = found.committedOffset;
      return undefined;
    });
    return offset;
  }
}
