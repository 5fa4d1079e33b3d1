import type { RemoteLogManagerOptions } from './options.ts';

interface PropertyFacts {
  /** The name in a properties file, and in DescribeConfigs. */
  readonly name: string;
  /** Another name of the same property: the one that Kafka released. */
  readonly alias?: string | undefined;
  /** Whether it can be changed at run time. */
  readonly dynamic: boolean;
  readonly documentation: string;
}

type NumberOption = {
  [K in keyof RemoteLogManagerOptions]-?: RemoteLogManagerOptions[K] extends number | undefined
    ? K
    : never;
}[keyof RemoteLogManagerOptions];

/** A property that is a number. */
export interface NumberProperty extends PropertyFacts {
  readonly option: NumberOption;
  readonly type: 'int' | 'long' | 'double';
  readonly default: number;
  readonly min: number;
  /** Default 2^53 - 1. */
  readonly max?: number | undefined;
}

/** A bound in bytes per second; 9223372036854775807 for none, which is the default. */
export interface LimitProperty extends PropertyFacts {
  readonly option: 'readLimit' | 'writeLimit';
  readonly type: 'limit';
}

/** A property that is one of some words, the first by default. */
export interface ChoiceProperty extends PropertyFacts {
  readonly option: 'writeExhausted' | 'writeScope';
  readonly type: 'choice';
  readonly choices: readonly string[];
}

/** A property of the remote log manager. */
export type RemoteLogManagerProperty = NumberProperty | LimitProperty | ChoiceProperty;

const int = { type: 'int', dynamic: false, min: 1, max: 2_147_483_647 } as const;
const ms = { type: 'long', dynamic: false, min: 1 } as const;

/** All properties of the remote log manager: the one place with their names, defaults and ranges. */
export const REMOTE_LOG_MANAGER_PROPERTIES: readonly RemoteLogManagerProperty[] = [
  {
    ...ms,
    name: 'remote.log.manager.task.interval.ms',
    option: 'taskIntervalMs',
    default: 30_000,
    documentation: 'Time between the runs of the tasks that copy segments, and that expire them.',
  },
  {
    ...int,
    name: 'remote.log.manager.copier.thread.pool.size',
    option: 'copierThreads',
    default: 10,
    documentation: 'How many segments are copied at once, over all partitions.',
  },
  {
    ...int,
    name: 'remote.log.manager.expiration.thread.pool.size',
    option: 'expirationThreads',
    default: 10,
    documentation: 'How many partitions delete remote segments at once.',
  },
  {
    ...int,
    name: 'remote.log.reader.threads',
    option: 'readerThreads',
    default: 10,
    documentation: 'How many remote reads run at once.',
  },
  {
    ...int,
    name: 'remote.log.reader.max.pending.tasks',
    option: 'readerMaxPendingTasks',
    default: 100,
    documentation: 'How many remote reads may wait for their turn; further ones are refused.',
  },
  {
    ...ms,
    name: 'remote.log.index.file.cache.total.size.bytes',
    option: 'indexCacheBytes',
    default: 67_108_864,
    dynamic: true,
    documentation: 'Most bytes of indexes of remote segments that are kept in memory.',
  },
  {
    ...int,
    name: 'remote.log.metadata.custom.metadata.max.bytes',
    option: 'customMetadataMaxBytes',
    default: 128,
    min: 0,
    documentation: 'Most bytes that a storage plugin may want to be kept with a segment.',
  },
  {
    ...ms,
    name: 'remote.log.manager.task.retry.backoff.ms',
    option: 'retryBackoffMs',
    default: 500,
    documentation: 'Time to the next run after a failed one; doubled with each further failure.',
  },
  {
    ...ms,
    name: 'remote.log.manager.task.retry.backoff.max.ms',
    option: 'retryBackoffMaxMs',
    default: 30_000,
    documentation: 'The longest time between runs that fail.',
  },
  {
    name: 'remote.log.manager.task.retry.jitter',
    type: 'double',
    dynamic: false,
    option: 'retryJitter',
    default: 0.2,
    min: 0,
    max: 0.5,
    documentation: 'The part of the time between failed runs by which chance moves it.',
  },
  {
    ...ms,
    name: 'remote.log.manager.copy.stall.timeout.ms',
    option: 'copyStallTimeoutMs',
    default: 300_000,
    documentation: 'Time without progress after which a copy of a segment is given up.',
  },
  {
    ...ms,
    name: 'remote.log.manager.delete.timeout.ms',
    option: 'deleteTimeoutMs',
    default: 60_000,
    documentation: 'Time after which a deletion of a remote segment is given up.',
  },
  {
    ...ms,
    name: 'remote.log.reader.stall.timeout.ms',
    option: 'fetchTimeoutMs',
    default: 30_000,
    documentation: 'Time without progress after which a read of the remote store is given up.',
  },
  {
    ...ms,
    name: 'remote.log.manager.dangling.copy.grace.ms',
    option: 'danglingGraceMs',
    default: 3_600_000,
    documentation: 'Time after which the unfinished copy of another broker is removed.',
  },
  {
    name: 'remote.log.manager.write.quota.default',
    alias: 'remote.log.manager.copy.max.bytes.per.second',
    type: 'limit',
    dynamic: true,
    option: 'writeLimit',
    documentation: 'Bytes per second that may be copied to the remote tier.',
  },
  {
    ...int,
    name: 'remote.log.manager.write.quota.window.num',
    alias: 'remote.log.manager.copy.quota.window.num',
    option: 'writeWindowNum',
    default: 61,
    documentation: 'How many samples the rate of copying is measured over.',
  },
  {
    ...int,
    name: 'remote.log.manager.write.quota.window.size.seconds',
    alias: 'remote.log.manager.copy.quota.window.size.seconds',
    option: 'writeWindowSeconds',
    default: 1,
    documentation: 'The time that one sample of the rate of copying covers.',
  },
  {
    name: 'remote.log.manager.write.quota.scope',
    type: 'choice',
    dynamic: false,
    option: 'writeScope',
    choices: ['broker', 'writer'],
    documentation: 'Whether the limit is for the broker as a whole, or for each writer by itself.',
  },
  {
    name: 'remote.log.manager.write.quota.exhausted',
    type: 'choice',
    dynamic: false,
    option: 'writeExhausted',
    choices: ['abort', 'wait', 'pace'],
    documentation:
      'What copying does at the limit: end the run, wait for room, or let the bytes flow at the limit.',
  },
  {
    name: 'remote.log.manager.read.quota.default',
    alias: 'remote.log.manager.fetch.max.bytes.per.second',
    type: 'limit',
    dynamic: true,
    option: 'readLimit',
    documentation: 'Bytes per second that may be read from the remote tier.',
  },
  {
    ...int,
    name: 'remote.log.manager.read.quota.window.num',
    alias: 'remote.log.manager.fetch.quota.window.num',
    option: 'readWindowNum',
    default: 11,
    documentation: 'How many samples the rate of remote reads is measured over.',
  },
  {
    ...int,
    name: 'remote.log.manager.read.quota.window.size.seconds',
    alias: 'remote.log.manager.fetch.quota.window.size.seconds',
    option: 'readWindowSeconds',
    default: 1,
    documentation: 'The time that one sample of the rate of remote reads covers.',
  },
];
