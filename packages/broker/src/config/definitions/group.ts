import { type ConfigDefinition, defineConfig } from '../config-definition.ts';

/** Consumer groups and their offsets. */
export const GROUP_DEFINITIONS: readonly ConfigDefinition[] = Object.freeze([
  defineConfig('group.initial.rebalance.delay.ms', {
    type: 'int',
    // Kafka's 3000 spares large groups a rebalance, and makes every small one start three seconds late.
    default: '0',
    min: 0,
    doc: 'How many ms the first rebalance of an empty group waits for more members.',
  }),
  defineConfig('group.min.session.timeout.ms', {
    type: 'int',
    default: '6000',
    min: 1,
    doc: 'The shortest session timeout in ms that a member may ask for.',
  }),
  defineConfig('group.max.session.timeout.ms', {
    type: 'int',
    default: '1800000',
    min: 1,
    doc: 'The longest session timeout in ms that a member may ask for.',
  }),
  defineConfig('group.max.size', {
    type: 'int',
    default: '2147483647',
    min: 1,
    doc: 'How many members a group may have.',
  }),
  defineConfig('offsets.topic.num.partitions', {
    type: 'int',
    default: '50',
    min: 1,
    doc: 'Partitions of the topic that holds committed offsets. Counts when that topic is created.',
  }),
  defineConfig('offsets.topic.replication.factor', {
    type: 'short',
    default: '1',
    min: 1,
    max: 1,
    doc: 'Replicas of the topic that holds committed offsets. There is one broker, so only 1 is possible.',
  }),
  defineConfig('offsets.topic.segment.bytes', {
    type: 'int',
    default: '104857600',
    min: 14,
    doc: 'Segment size in bytes of the topic that holds committed offsets.',
  }),
  defineConfig('offsets.retention.minutes', {
    type: 'int',
    default: '10080',
    min: 1,
    doc: 'How many minutes the offsets of a group without members are kept.',
  }),
  defineConfig('offsets.retention.check.interval.ms', {
    type: 'long',
    default: '600000',
    min: 1,
    doc: 'Every how many ms expired offsets are looked for.',
  }),
  defineConfig('offset.metadata.max.bytes', {
    type: 'int',
    default: '4096',
    min: 0,
    // The text is stored with a length of 16 bits.
    max: 32_767,
    doc: 'The longest text in bytes that may be committed with an offset.',
  }),
]);
