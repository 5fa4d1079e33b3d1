import { GroupCoordinator } from '../group/group-coordinator.ts';
import { OffsetsTopic } from '../internal-topics/offsets-topic.ts';
import type { Closers } from './closers.ts';
import type { Storage, Surroundings } from './open-storage.ts';

const MINUTE_MS = 60_000;

/** Opens the group coordinator, with all groups and offsets that were kept. */
export async function openCoordinator(
  { configs, topics }: Storage,
  surroundings: Surroundings,
  options: { readonly closers: Closers; readonly forgetMembersOnDisconnect: boolean },
): Promise<GroupCoordinator> {
  const { values } = configs;
  const { clock, logger } = surroundings;
  const offsetLog = new OffsetsTopic({
    topics,
    clock,
    logger,
    partitions: values.number('offsets.topic.num.partitions'),
    segmentBytes: values.number('offsets.topic.segment.bytes'),
  });
  const coordinator = new GroupCoordinator(
    {
      initialRebalanceDelayMs: values.number('group.initial.rebalance.delay.ms'),
      minSessionTimeoutMs: values.number('group.min.session.timeout.ms'),
      maxSessionTimeoutMs: values.number('group.max.session.timeout.ms'),
      maxGroupSize: values.number('group.max.size'),
      offsetMetadataMaxBytes: values.number('offset.metadata.max.bytes'),
      offsetsRetentionMs: values.number('offsets.retention.minutes') * MINUTE_MS,
      offsetsRetentionCheckIntervalMs: values.number('offsets.retention.check.interval.ms'),
      forgetMembersOnDisconnect: options.forgetMembersOnDisconnect,
    },
    {
      ...surroundings,
      offsetLog,
      hasPartition: (topic, partition) => topics.findPartition(topic, partition) !== undefined,
    },
  );
  options.closers.add(coordinator, (opened) => opened.close());
  await offsetLog.load(coordinator);
  topics.addListener({
    onPartitionsLed: () => undefined,
    onNameLeaving: (name) => coordinator.onTopicsDeleted([name]),
    onTopicDeleted: () => Promise.resolve(),
  });
  return coordinator;
}
