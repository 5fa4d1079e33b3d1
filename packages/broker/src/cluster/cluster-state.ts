import type { ClusterEvent, ConfigEntries } from './cluster-event.ts';

/** A topic as the cluster knows it. */
export interface TopicState {
  readonly name: string;
  readonly topicId: string;
  readonly internal: boolean;
  readonly partitions: number;
  /** Overrides of this topic, by property name. */
  readonly configs: ReadonlyMap<string, string>;
}

/** A topic whose name is free again and whose data is being removed. */
export interface DeletedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: number;
}

/** Resource name of the cluster-wide defaults among the dynamic broker configurations. */
export const CLUSTER_DEFAULT = '';

/**
 * The state of the cluster, a pure function of its events: applying the same events in the same
 * order gives the same state, and {@link ClusterState.toEvents} gives a shortest list that does.
 */
export class ClusterState {
  clusterId: string | undefined;
  nodeId: number | undefined;
  /** Epoch under which all partitions are led; -1 before the first start. */
  leaderEpoch = -1;
  /** Producer ids below this may be in use. */
  nextProducerId = 1;
  readonly #byName = new Map<string, TopicState>();
  readonly #byId = new Map<string, TopicState>();
  readonly #deleted = new Map<string, DeletedTopic>();
  readonly #brokerConfigs = new Map<string, ReadonlyMap<string, string>>();

  /** All topics in ascending order of their names (by UTF-16 code units, as Kafka's tools sort). */
  get topics(): readonly TopicState[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Topics whose data is still to be removed. */
  get deletedTopics(): readonly DeletedTopic[] {
    return [...this.#deleted.values()];
  }

  topic(name: string): TopicState | undefined {
    return this.#byName.get(name);
  }

  topicById(topicId: string): TopicState | undefined {
    return this.#byId.get(topicId);
  }

  /** Dynamic configuration of one broker, or of {@link CLUSTER_DEFAULT}. */
  brokerConfig(node: string): ReadonlyMap<string, string> {
    return this.#brokerConfigs.get(node) ?? new Map();
  }

  /** Changes the state. Events that concern unknown topics change nothing: replay is idempotent. */
  apply(event: ClusterEvent): void {
    switch (event.type) {
      case 'cluster':
        this.clusterId = event.clusterId;
        this.nodeId = event.nodeId;
        break;
      case 'leader-epoch':
        this.leaderEpoch = Math.max(this.leaderEpoch, event.epoch);
        break;
      case 'producer-ids':
        this.nextProducerId = Math.max(this.nextProducerId, event.next);
        break;
      case 'broker-config':
        this.#brokerConfigs.set(event.node, new Map(event.configs));
        break;
      default:
        this.#applyToTopic(event);
    }
  }

  /** The events that rebuild this state. */
  toEvents(): ClusterEvent[] {
    const events: ClusterEvent[] = [];
    if (this.clusterId !== undefined && this.nodeId !== undefined) {
      events.push({ type: 'cluster', clusterId: this.clusterId, nodeId: this.nodeId });
    }
    events.push({ type: 'leader-epoch', epoch: this.leaderEpoch });
    events.push({ type: 'producer-ids', next: this.nextProducerId });
    for (const [node, configs] of this.#brokerConfigs) {
      events.push({ type: 'broker-config', node, configs: [...configs] });
    }
    for (const { name, topicId, partitions } of this.#deleted.values()) {
      events.push({
        type: 'topic-created',
        name,
        topicId,
        partitions,
        internal: false,
        configs: [],
      });
      events.push({ type: 'topic-deleted', topicId });
    }
    for (const topic of this.topics) {
      events.push({ ...topic, type: 'topic-created', configs: [...topic.configs] });
    }
    return events;
  }

  #applyToTopic(
    event: Extract<ClusterEvent, { readonly type: `topic-${string}` | 'partitions-added' }>,
  ): void {
    switch (event.type) {
      case 'topic-created': {
        const { name, topicId, internal, partitions, configs } = event;
        this.#put({ name, topicId, internal, partitions, configs: new Map(configs) });
        break;
      }
      case 'partitions-added':
        this.#change(event.topicId, (topic) => ({
          ...topic,
          partitions: Math.max(topic.partitions, event.partitions),
        }));
        break;
      case 'topic-config':
        this.#change(event.topicId, (topic) => ({ ...topic, configs: toMap(event.configs) }));
        break;
      case 'topic-deleted':
        this.#delete(event.topicId);
        break;
      case 'topic-purged':
        this.#deleted.delete(event.topicId);
        break;
    }
  }

  #put(topic: TopicState): void {
    this.#byName.set(topic.name, topic);
    this.#byId.set(topic.topicId, topic);
  }

  #change(topicId: string, change: (topic: TopicState) => TopicState): void {
    const topic = this.#byId.get(topicId);
    if (topic !== undefined) this.#put(change(topic));
  }

  #delete(topicId: string): void {
    const topic = this.#byId.get(topicId);
    if (topic === undefined) return;
    this.#byId.delete(topicId);
    this.#byName.delete(topic.name);
    const { name, partitions } = topic;
    this.#deleted.set(topicId, { name, topicId, partitions });
  }
}

function toMap(configs: ConfigEntries): ReadonlyMap<string, string> {
  return new Map(configs);
}
