import type { RandomSource } from '@logloft/clock';
import type { LogManager } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import type { DeletedTopic, TopicState } from '../cluster/cluster-state.ts';
import type { ClusterStore } from '../cluster/cluster-store.ts';
import { ConfigError } from '../config/config-error.ts';
import type { BrokerLogger } from '../logger.ts';
import { SerialQueue } from '../serial-queue.ts';
import { randomUuid } from '../uuid.ts';
import { LeavingNames } from './leaving-names.ts';
import { Partition } from './partition.ts';
import type { Topic } from './topic.ts';
import type { TopicConfigs } from './topic-configs.ts';
import { collisionKey, topicNameProblem } from './topic-name.ts';
import {
  refusalOfStorage,
  refuse,
  type TopicChecked,
  type TopicCreated,
  type TopicRefusal,
  unknownTopic,
} from './topic-outcome.ts';

/** Most partitions of one topic: each costs files and memory, and a client's typing error must not fill the disk. */
const MAX_PARTITIONS = 10_000;

/** What a topic is made from. */
export interface TopicInput {
  readonly name: string;
  /** Number of partitions; -1 takes `num.partitions`. */
  readonly partitions: number;
  readonly overrides: ReadonlyMap<string, string>;
  readonly internal?: boolean | undefined;
  /** Only check. */
  readonly validateOnly?: boolean | undefined;
}

/** Who has to know when topics come, change and go. */
export interface TopicListener {
  /** Partitions are led here from now on, with their present settings; also told again when these change. */
  onPartitionsLed(partitions: readonly Partition[]): void;
  /**
   * A topic was deleted, and nothing of that name must be left before the name is used again: another
   * topic of the same name would be mistaken for it. A failure is tried again at the next start, if
   * the name is not used then.
   */
  onNameLeaving?(name: string): Promise<void>;
  /**
   * A topic is deleted: nobody sees it any more. Resolves when nothing of it is left outside the
   * local log; until then the deletion is repeated at every start.
   */
  onTopicDeleted(topic: DeletedTopic, partitions: readonly Partition[]): Promise<void>;
}

/** What the manager needs. */
export interface TopicManagerServices {
  readonly cluster: ClusterStore;
  readonly logs: LogManager;
  readonly configs: TopicConfigs;
  readonly random: RandomSource;
  readonly logger: BrokerLogger;
}

/** The topics of this broker: looked up at every request, changed one at a time. */
export class TopicManager {
  readonly #services: TopicManagerServices;
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  readonly #changes = new SerialQueue();
  readonly #purges = new SerialQueue();
  readonly #leaving = new LeavingNames();
  readonly #listeners: TopicListener[] = [];

  private constructor(services: TopicManagerServices) {
    this.#services = services;
  }

  /**
   * Takes up the topics that the cluster state knows; logs that are missing are made, and those of
   * topics whose deletion an earlier process had only begun are removed.
   */
  static async open(services: TopicManagerServices): Promise<TopicManager> {
    const manager = new TopicManager(services);
    for (const { topicId } of services.cluster.state.deletedTopics) {
      await manager.#deleteLogs(topicId);
    }
    for (const state of services.cluster.state.topics) manager.#publish(manager.#load(state));
    return manager;
  }

  /** Tells `listener` of all topics there are, and of what happens from now on. */
  addListener(listener: TopicListener): void {
    this.#listeners.push(listener);
    for (const topic of this.#byName.values()) listener.onPartitionsLed(topic.partitions);
  }

  /** Goes on with deletions that an earlier process did not finish. To be called once listeners stand. */
  resumeDeletions(): void {
    for (const deleted of this.#services.cluster.state.deletedTopics) this.#purge(deleted, []);
  }

  /** All topics, by name in ascending order. */
  all(): readonly Topic[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  byName(name: string): Topic | undefined {
    return this.#byName.get(name);
  }

  byId(topicId: string): Topic | undefined {
    return this.#byId.get(topicId);
  }

  findPartition(name: string, index: number): Partition | undefined {
    return this.#byName.get(name)?.partitions[index];
  }

  findPartitionById(topicId: string, index: number): Partition | undefined {
    return this.#byId.get(topicId)?.partitions[index];
  }

  /** Overrides of a topic, by property name. */
  overridesOf(topic: Topic): ReadonlyMap<string, string> {
    return this.#services.cluster.state.topicById(topic.topicId)?.configs ?? new Map();
  }

  /** Makes a topic; with `validateOnly` only checks whether it could be made. */
  async create(input: TopicInput): Promise<TopicCreated | TopicChecked | TopicRefusal> {
    for (;;) {
      // Not among the changes: what is to be forgotten may itself need a topic to be made.
      await this.#leaving.whenFree(input.name);
      const outcome = await this.#changes.run(async () => {
        if (this.#leaving.has(input.name)) return undefined;
        const checked = this.#check(input);
        if (checked.kind === 'refused' || input.validateOnly === true) return checked;
        return this.#create(input, checked).catch(refusalOfStorage);
      });
      if (outcome !== undefined) return outcome;
    }
  }

  /** Makes a topic that a client asked for, or finds that another one just did. */
  async autoCreate(name: string): Promise<TopicCreated | TopicRefusal> {
    const { autoCreateOverrides } = this.#services.configs;
    const made = await this.create({ name, partitions: -1, overrides: autoCreateOverrides });
    if (made.kind === 'created') return made;
    const existing = this.#byName.get(name);
    if (existing !== undefined) return { kind: 'created', topic: existing };
    return made.kind === 'refused' ? made : refuse(ErrorCode.UNKNOWN_SERVER_ERROR, 'Not created.');
  }

  /** Adds partitions up to `total`; with `validateOnly` only checks whether they could be added. */
  addPartitions(
    name: string,
    total: number,
    options: { readonly validateOnly: boolean },
  ): Promise<TopicCreated | TopicChecked | TopicRefusal> {
    return this.#changes.run(async () => {
      const topic = this.#byName.get(name);
      if (topic === undefined) return unknownTopic(name);
      const present = topic.partitions.length;
      if (total <= present || total > MAX_PARTITIONS) {
        return refuse(
          ErrorCode.INVALID_PARTITIONS,
          `Topic ${name} has ${present} partitions; expected a larger number up to ${MAX_PARTITIONS}, got ${total}.`,
        );
      }
      if (options.validateOnly) {
        return { kind: 'valid', partitions: total, overrides: this.overridesOf(topic) };
      }
      return this.#grow(topic, total).catch(refusalOfStorage);
    });
  }

  /** Replaces the overrides of a topic. They must have been found valid. */
  setOverrides(topicId: string, overrides: ReadonlyMap<string, string>): Promise<void> {
    return this.#changes.run(async () => {
      const topic = this.#byId.get(topicId);
      if (topic === undefined) return;
      await this.#services.cluster.change({
        type: 'topic-config',
        topicId,
        configs: [...overrides],
      });
      this.#applyConfig(topic);
    });
  }

  /** Applies defaults of the broker that have changed to all topics. */
  refreshConfigs(): void {
    for (const topic of this.#byName.values()) this.#applyConfig(topic);
  }

  /** Deletes a topic. Its name is free when this resolves; its data goes in the background. */
  delete(topicId: string): Promise<TopicRefusal | undefined> {
    const deleted = this.#changes.run(async () => {
      const topic = this.#byId.get(topicId);
      if (topic === undefined) {
        return refuse(ErrorCode.UNKNOWN_TOPIC_ID, `There is no topic with id ${topicId}.`);
      }
      await this.#services.cluster.change({ type: 'topic-deleted', topicId });
      this.#byId.delete(topicId);
      this.#byName.delete(topic.name);
      await this.#deleteLogs(topicId);
      for (const partition of topic.partitions) partition.retire();
      const { name, partitions } = topic;
      this.#purge({ name, topicId, partitions: partitions.length }, partitions);
      return undefined;
    });
    return deleted.catch(refusalOfStorage);
  }

  /** Waits for changes under way. The logs are closed by whoever opened them. */
  async close(): Promise<void> {
    await this.#changes.idle();
    for (const topic of this.#byName.values()) {
      for (const partition of topic.partitions) partition.retire();
    }
  }

  #check(input: TopicInput): TopicChecked | TopicRefusal {
    const { name, overrides } = input;
    const nameProblem = topicNameProblem(name);
    if (nameProblem !== undefined) return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, nameProblem);
    if (this.#byName.has(name)) {
      return refuse(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic ${name} exists already.`);
    }
    const collision = this.#collidingName(name);
    if (collision !== undefined) {
      return refuse(
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        `Topic ${name} differs from ${collision} only in "." and "_", which metrics cannot tell apart.`,
      );
    }
    const { configs } = this.#services;
    const partitions = input.partitions === -1 ? configs.defaultPartitions : input.partitions;
    if (partitions < 1 || partitions > MAX_PARTITIONS) {
      return refuse(
        ErrorCode.INVALID_PARTITIONS,
        `Expected 1 to ${MAX_PARTITIONS} partitions, got ${partitions}.`,
      );
    }
    try {
      return { kind: 'valid', partitions, overrides: configs.check(overrides) };
    } catch (error) {
      if (error instanceof ConfigError)
        return refuse(ErrorCode[error.protocolError], error.message);
      throw error;
    }
  }

  #collidingName(name: string): string | undefined {
    const key = collisionKey(name);
    if (key === name && !name.includes('_')) return undefined;
    for (const other of this.#byName.keys()) if (collisionKey(other) === key) return other;
    return undefined;
  }

  async #create(input: TopicInput, checked: TopicChecked): Promise<TopicCreated | TopicRefusal> {
    const { cluster, random } = this.#services;
    const { name, internal = false } = input;
    const { partitions, overrides } = checked;
    const topicId = randomUuid(random);
    // Made in part by an earlier attempt, which could not be taken back.
    const leftOver = cluster.state.topic(name);
    if (leftOver !== undefined) await this.#discard(leftOver);
    // The event comes first, so that no directory is ever without a topic that explains it.
    await cluster.change({
      type: 'topic-created',
      name,
      topicId,
      partitions,
      internal,
      configs: [...overrides],
    });
    try {
      return { kind: 'created', topic: this.#reload(topicId) };
    } catch (error) {
      await this.#discard({ name, topicId, partitions });
      throw error;
    }
  }

  /** The logs come first: partitions that the state has promised could not be taken back. */
  async #grow(topic: Topic, total: number): Promise<TopicCreated | TopicRefusal> {
    const { cluster } = this.#services;
    const { name, topicId } = topic;
    const present = topic.partitions.length;
    const state = cluster.state.topicById(topicId);
    if (state === undefined) return unknownTopic(name);
    try {
      const grown = this.#load({ ...state, partitions: total });
      await cluster.change({ type: 'partitions-added', topicId, partitions: total });
      this.#announce(grown, present);
      return { kind: 'created', topic: grown };
    } catch (error) {
      await this.#deleteLogs(topicId, present);
      throw error;
    }
  }

  /** Takes a topic back that could be made in part only. */
  async #discard({ name, topicId, partitions }: DeletedTopic): Promise<void> {
    await this.#deleteLogs(topicId);
    await this.#services.cluster.change({ type: 'topic-deleted', topicId });
    this.#purge({ name, topicId, partitions }, []);
  }

  /** Removes the local logs of a topic from a partition on, whichever of them there are. */
  async #deleteLogs(topicId: string, fromPartition = 0): Promise<void> {
    const { logs, logger } = this.#services;
    for (const log of logs.list()) {
      if (log.topicId !== topicId || log.partition < fromPartition) continue;
      try {
        await logs.delete(log.topic, log.partition);
      } catch (error) {
        // The log is gone all the same; what could not be stored is stored later.
        logger.warn('Deleting a log failed in part', { directory: log.directory, error });
      }
    }
  }

  /** Makes what the state says of a topic true, and tells everybody. */
  #reload(topicId: string): Topic {
    const state = this.#services.cluster.state.topicById(topicId);
    if (state === undefined) throw new Error(`The cluster state has no topic ${topicId}`);
    const topic = this.#load(state);
    this.#announce(topic, 0);
    return topic;
  }

  /** Puts a topic in place, and tells everybody of its partitions from `firstNew` on. */
  #announce(topic: Topic, firstNew: number): void {
    this.#publish(topic);
    const added = topic.partitions.slice(firstNew);
    for (const listener of this.#listeners) listener.onPartitionsLed(added);
  }

  #load(state: TopicState): Topic {
    const { name, topicId, internal } = state;
    const { cluster, configs, logs } = this.#services;
    const present = this.#byId.get(topicId)?.partitions ?? [];
    const { log: logConfig, settings } = configs.effective(state.configs);
    const partitions = [...present];
    for (let index = present.length; index < state.partitions; index += 1) {
      const existing = logs.get(name, index);
      const log =
        existing !== undefined && existing.topicId === topicId
          ? existing
          : logs.create(name, index, topicId, logConfig);
      log.updateConfig(logConfig);
      const { leaderEpoch } = cluster.state;
      partitions.push(new Partition({ topic: name, topicId, index, log, leaderEpoch, settings }));
    }
    return { name, topicId, internal, partitions };
  }

  #publish(topic: Topic): void {
    this.#byName.set(topic.name, topic);
    this.#byId.set(topic.topicId, topic);
  }

  #applyConfig(topic: Topic): void {
    const { log, settings } = this.#services.configs.effective(this.overridesOf(topic));
    for (const partition of topic.partitions) {
      partition.settings = settings;
      partition.log.updateConfig(log);
    }
    for (const listener of this.#listeners) listener.onPartitionsLed(topic.partitions);
  }

  #purge(deleted: DeletedTopic, partitions: readonly Partition[]): void {
    const { cluster, logger } = this.#services;
    const forgotten = this.#forgetName(deleted.name);
    this.#purges
      .run(async () => {
        await forgotten;
        for (const listener of this.#listeners) await listener.onTopicDeleted(deleted, partitions);
        await cluster.change({ type: 'topic-purged', topicId: deleted.topicId });
      })
      .catch((error: unknown) => {
        logger.warn('A deleted topic is not wholly removed yet; the next start goes on with it', {
          topic: deleted.name,
          topicId: deleted.topicId,
          error,
        });
      });
  }

  /** Begins at once, whatever waits to be purged: the name may be used again soon. */
  #forgetName(name: string): Promise<void> {
    // After a restart the name may be in use; then it was forgotten before that.
    if (this.#byName.has(name)) return Promise.resolve();
    const work = this.#listeners.map((listener) => listener.onNameLeaving?.(name));
    const forgotten = Promise.all(work).then(() => undefined);
    this.#leaving.hold(name, forgotten);
    return forgotten;
  }
}
