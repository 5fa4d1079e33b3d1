import { type ConfigDefinition, defineConfig } from '../config-definition.ts';
import { LONG_MAX_TEXT } from '../config-text.ts';

const CLUSTER_WIDE = 'cluster-wide';

/** The remote tier: what it is stored with, how it is worked on, and its quotas (KIP-405, KIP-956). */
export const REMOTE_DEFINITIONS: readonly ConfigDefinition[] = Object.freeze([
  defineConfig('remote.log.storage.system.enable', {
    type: 'boolean',
    default: 'false',
    doc: 'Whether this broker has a remote tier. Topics join it by remote.storage.enable.',
  }),
  defineConfig('remote.log.storage.manager.class.name', {
    type: 'string',
    nonEmpty: true,
    doc: 'The module of the remote storage plugin, by name or path. The class names of the plugin by Aiven stand for the adapters that write its layout.',
  }),
  defineConfig('remote.log.storage.manager.impl.prefix', {
    type: 'string',
    default: 'rsm.config.',
    nonEmpty: true,
    doc: 'Properties that begin with this go to the remote storage plugin, without it.',
  }),
  defineConfig('remote.log.metadata.manager.class.name', {
    type: 'string',
    nonEmpty: true,
    doc: 'What keeps the metadata of remote segments. Not set: an internal topic of this broker.',
  }),
  defineConfig('remote.log.metadata.manager.impl.prefix', {
    type: 'string',
    default: 'rlmm.config.',
    nonEmpty: true,
    doc: 'Properties that begin with this go to the metadata manager, without it.',
  }),
  defineConfig('remote.log.metadata.manager.listener.name', {
    type: 'string',
    nonEmpty: true,
    doc: 'The listener that the metadata manager would connect to. Not needed: it runs inside the broker.',
  }),
  defineConfig('remote.log.metadata.custom.metadata.max.bytes', {
    type: 'int',
    default: '128',
    min: 0,
    doc: 'The most bytes that a plugin may keep with the metadata of a segment. A copy that brings more fails.',
  }),
  defineConfig('remote.log.manager.task.interval.ms', {
    type: 'long',
    default: '30000',
    min: 1,
    doc: 'How many ms lie between the end of one run of the copy and expiration tasks and the next.',
  }),
  defineConfig('remote.log.manager.copier.thread.pool.size', {
    type: 'int',
    default: '10',
    min: 1,
    doc: 'How many partitions are copied to the remote tier at one time: the writers of the write quota.',
  }),
  defineConfig('remote.log.manager.expiration.thread.pool.size', {
    type: 'int',
    default: '10',
    min: 1,
    doc: 'For how many partitions remote segments are expired at one time.',
  }),
  defineConfig('remote.log.reader.threads', {
    type: 'int',
    default: '10',
    min: 1,
    doc: 'How many reads of the remote tier are under way at one time.',
  }),
  defineConfig('remote.log.reader.max.pending.tasks', {
    type: 'int',
    default: '100',
    min: 1,
    doc: 'How many reads of the remote tier may wait for their turn. Beyond, a fetch gets nothing of that partition yet.',
  }),
  defineConfig('remote.log.index.file.cache.total.size.bytes', {
    type: 'long',
    default: '1073741824',
    min: 1,
    doc: 'Local disk space in bytes for indexes of remote segments.',
  }),
  defineConfig('remote.log.index.file.cache.ttl.ms', {
    type: 'long',
    default: '900000',
    min: -1,
    doc: 'After how many ms without use an index of a remote segment leaves the local disk; -1 never.',
  }),
  defineConfig('remote.fetch.max.wait.ms', {
    type: 'int',
    default: '500',
    min: 1,
    mode: CLUSTER_WIDE,
    doc: 'How many ms a fetch may wait for data of the remote tier, when the client asks for less.',
  }),
  defineConfig('remote.list.offsets.request.timeout.ms', {
    type: 'long',
    default: '30000',
    min: 1,
    mode: CLUSTER_WIDE,
    doc: 'How many ms a search for an offset by time may take in the remote tier, where the request does not say.',
  }),
  defineConfig('remote.log.manager.task.retry.backoff.ms', {
    type: 'long',
    default: '500',
    min: 1,
    doc: 'How many ms pass before a failed copy is tried again; doubled at each failure in a row.',
  }),
  defineConfig('remote.log.manager.task.retry.backoff.max.ms', {
    type: 'long',
    default: '30000',
    min: 1,
    doc: 'The most ms that pass before a failed copy is tried again.',
  }),
  defineConfig('remote.log.manager.task.retry.jitter', {
    type: 'double',
    default: '0.2',
    min: 0,
    max: 0.5,
    doc: 'By what part the time before a new try is changed at random.',
  }),
  defineConfig('remote.log.manager.write.quota.default', {
    type: 'long',
    default: LONG_MAX_TEXT,
    min: 1,
    mode: CLUSTER_WIDE,
    aliases: ['remote.log.manager.copy.max.bytes.per.second'],
    doc: 'How many bytes per second may be copied to the remote tier. The largest long is without limit.',
  }),
  defineConfig('remote.log.manager.write.quota.window.num', {
    type: 'int',
    default: '61',
    min: 1,
    aliases: ['remote.log.manager.copy.quota.window.num'],
    doc: 'How many samples the rate of copying is measured over, the one under way among them.',
  }),
  defineConfig('remote.log.manager.write.quota.window.size.seconds', {
    type: 'int',
    default: '1',
    min: 1,
    aliases: ['remote.log.manager.copy.quota.window.size.seconds'],
    doc: 'The length in seconds of each sample of the rate of copying.',
  }),
  defineConfig('remote.log.manager.write.quota.scope', {
    type: 'string',
    default: 'broker',
    allowed: ['broker', 'writer'],
    doc: 'Whether the write quota binds all writers together, or each by itself as KIP-956 was drafted. An extension.',
  }),
  defineConfig('remote.log.manager.write.quota.exhausted', {
    type: 'string',
    default: 'abort',
    allowed: ['abort', 'wait', 'pace'],
    doc: 'What a copy task does when the write quota is used up: stop until its next run, wait for room, or copy at an even pace. An extension.',
  }),
  defineConfig('remote.log.manager.read.quota.default', {
    type: 'long',
    default: LONG_MAX_TEXT,
    min: 1,
    mode: CLUSTER_WIDE,
    aliases: ['remote.log.manager.fetch.max.bytes.per.second'],
    doc: 'How many bytes per second may be read from the remote tier. The largest long is without limit.',
  }),
  defineConfig('remote.log.manager.read.quota.window.num', {
    type: 'int',
    default: '11',
    min: 1,
    aliases: ['remote.log.manager.fetch.quota.window.num'],
    doc: 'How many samples the rate of remote reads is measured over, the one under way among them.',
  }),
  defineConfig('remote.log.manager.read.quota.window.size.seconds', {
    type: 'int',
    default: '1',
    min: 1,
    aliases: ['remote.log.manager.fetch.quota.window.size.seconds'],
    doc: 'The length in seconds of each sample of the rate of remote reads.',
  }),
]);

/** Properties of the metadata manager, without their prefix (`rlmm.config.`). */
export const REMOTE_METADATA_DEFINITIONS: readonly ConfigDefinition[] = Object.freeze([
  defineConfig('remote.log.metadata.topic.replication.factor', {
    type: 'short',
    default: '1',
    min: 1,
    max: 1,
    doc: 'Replicas of the topic that holds the metadata. There is one broker, so only 1 is possible.',
  }),
  defineConfig('remote.log.metadata.topic.num.partitions', {
    type: 'int',
    default: '50',
    min: 1,
    doc: 'Partitions of the topic that holds the metadata. Must be that of the topic once it exists.',
  }),
  defineConfig('remote.log.metadata.topic.retention.ms', {
    type: 'long',
    default: '-1',
    min: -1,
    doc: 'How many ms metadata is kept; -1 for ever. Less than the retention of any tiered topic loses its data.',
  }),
  defineConfig('remote.log.metadata.topic.min.isr', {
    type: 'short',
    default: '1',
    min: 1,
    max: 1,
    doc: 'Replicas that must have an event before it counts. There is one broker, so only 1 is possible.',
  }),
  defineConfig('remote.log.metadata.consume.wait.ms', {
    type: 'long',
    default: '120000',
    min: 0,
    doc: 'How many ms an event may take from being written to being seen.',
  }),
  defineConfig('remote.log.metadata.initialization.retry.max.timeout.ms', {
    type: 'long',
    default: '120000',
    min: 0,
    doc: 'For how many ms the start of the metadata manager is tried.',
  }),
  defineConfig('remote.log.metadata.initialization.retry.interval.ms', {
    type: 'long',
    default: '100',
    min: 0,
    doc: 'How many ms pass between two tries to start the metadata manager.',
  }),
]);
