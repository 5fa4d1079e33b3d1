import type { LogConfigInput } from '@logloft/log';
import type { TopicSettings } from './partition.ts';

/** What a topic's overrides amount to, with the broker's defaults beneath them. */
export interface EffectiveTopicConfig {
  readonly log: LogConfigInput;
  readonly settings: TopicSettings;
}

/** The configuration of topics, as the topic manager needs it. */
export interface TopicConfigs {
  /** What is in force for a topic with these overrides. */
  effective(overrides: ReadonlyMap<string, string>): EffectiveTopicConfig;
  /**
   * Overrides of a new topic as they are stored.
   *
   * @throws ConfigError whose `protocolError` and `message` answer the client
   */
  check(overrides: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** `num.partitions`. */
  readonly defaultPartitions: number;
  /** Overrides of topics that clients create by asking for them. */
  readonly autoCreateOverrides: ReadonlyMap<string, string>;
}
