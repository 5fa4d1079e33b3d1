/** A partition, by the name of its topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** `topic-partition`, as Kafka writes it; good as a key of maps. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
