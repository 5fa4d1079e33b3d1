/** A dynamic configuration: property name to value, as pairs so that no name is special. */
export type ConfigEntries = readonly (readonly [name: string, value: string])[];

/** Whatever changes the state of the cluster. Written as JSON: fields are never renamed. */
export type ClusterEvent =
  | { readonly type: 'cluster'; readonly clusterId: string; readonly nodeId: number }
  /** Once a start: every partition is led under a new epoch from then on. */
  | { readonly type: 'leader-epoch'; readonly epoch: number }
  | {
      readonly type: 'topic-created';
      readonly name: string;
      readonly topicId: string;
      readonly partitions: number;
      readonly internal: boolean;
      readonly configs: ConfigEntries;
    }
  | { readonly type: 'partitions-added'; readonly topicId: string; readonly partitions: number }
  | { readonly type: 'topic-config'; readonly topicId: string; readonly configs: ConfigEntries }
  /** Deletion begins: the name is free, the data goes in the background. */
  | { readonly type: 'topic-deleted'; readonly topicId: string }
  /** The data of a deleted topic is gone from both tiers. */
  | { readonly type: 'topic-purged'; readonly topicId: string }
  /** `node` is the node id as text, or '' for the cluster-wide default. */
  | { readonly type: 'broker-config'; readonly node: string; readonly configs: ConfigEntries }
  /** Producer ids below `next` may have been handed out. */
  | { readonly type: 'producer-ids'; readonly next: number };
