import type { LogConfigInput } from '@logloft/log';
import type { ConfigValues } from './config-values.ts';

/** The settings of a partition's log, from the values that count for its topic. */
export function logConfigOf(values: ConfigValues): LogConfigInput {
  const isAppendTime = values.string('message.timestamp.type') === 'LogAppendTime';
  return {
    segmentBytes: values.number('segment.bytes'),
    segmentMs: values.number('segment.ms'),
    segmentJitterMs: values.number('segment.jitter.ms'),
    segmentIndexBytes: values.number('segment.index.bytes'),
    indexIntervalBytes: values.number('index.interval.bytes'),
    retentionMs: values.number('retention.ms'),
    retentionBytes: values.number('retention.bytes'),
    localRetentionMs: values.number('local.retention.ms'),
    localRetentionBytes: values.number('local.retention.bytes'),
    cleanupDelete: values.list('cleanup.policy').includes('delete'),
    remoteStorageEnable: values.boolean('remote.storage.enable'),
    remoteLogCopyDisable: values.boolean('remote.log.copy.disable'),
    fileDeleteDelayMs: values.number('file.delete.delay.ms'),
    flushMessages: values.number('flush.messages'),
    flushMs: values.number('flush.ms'),
    messageTimestampType: isAppendTime ? 'LogAppendTime' : 'CreateTime',
  };
}
