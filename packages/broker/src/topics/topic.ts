import type { Partition } from './partition.ts';

/** A topic with its partitions, by index. */
export interface Topic {
  readonly name: string;
  readonly topicId: string;
  /** Written by the broker alone, such as `__consumer_offsets`. */
  readonly internal: boolean;
  readonly partitions: readonly Partition[];
}
