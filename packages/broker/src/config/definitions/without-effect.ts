/**
 * Properties of Kafka that are accepted, so that its files can be used as they are, and change
 * nothing here, each with the reason. The start says so in one line.
 */
export const PROPERTIES_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ...because('this broker is its own controller', [
    'process.roles',
    'controller.quorum.voters',
    'controller.quorum.bootstrap.servers',
    'inter.broker.listener.name',
    'security.inter.broker.protocol',
    'metadata.log.dir',
    'zookeeper.connect',
    'zookeeper.connection.timeout.ms',
  ]),
  ...because('requests are served by one event loop', [
    'num.network.threads',
    'num.io.threads',
    'background.threads',
    'queued.max.requests',
    'num.recovery.threads.per.data.dir',
    'remote.log.manager.thread.pool.size',
    'remote.log.manager.follower.thread.pool.size',
  ]),
  ...because('buffers of sockets are left to the system', [
    'socket.send.buffer.bytes',
    'socket.receive.buffer.bytes',
    'socket.listen.backlog.size',
  ]),
  ...because('there is one broker', [
    'broker.rack',
    'num.replica.fetchers',
    'auto.leader.rebalance.enable',
    'controlled.shutdown.enable',
    'follower.fetch.last.tiered.offset.enable',
  ]),
  ...because('transactions are not served so far', [
    'transaction.state.log.replication.factor',
    'transaction.state.log.min.isr',
    'transaction.state.log.num.partitions',
    'transactional.id.expiration.ms',
  ]),
  ...because('compaction is not served so far', ['log.cleaner.enable', 'log.cleaner.threads']),
  ...because('modules are found by name or path', [
    'remote.log.storage.manager.class.path',
    'remote.log.metadata.manager.class.path',
  ]),
]);

/** Beginnings of properties that are accepted and change nothing here, each with the reason. */
export const PREFIXES_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map(
  because(
    'the manager of remote metadata runs inside the broker',
    ['common.client.', 'producer.', 'consumer.', 'admin.'].map(
      (clients) => `remote.log.metadata.${clients}`,
    ),
  ),
);

/** Beginnings of properties that ask for something which is not served, and what that is. */
export const UNSERVED_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['ssl.', 'TLS'],
  ['sasl.', 'SASL'],
  ['listener.name.', 'settings of a single listener'],
  ['authorizer.', 'authorization'],
  ['super.users', 'authorization'],
  ['allow.everyone.if.no.acl.found', 'authorization'],
  ['delegation.token.', 'delegation tokens'],
  ['client.quota.', 'client quotas'],
  ['quota.', 'client quotas'],
  ['share.', 'share groups'],
]);

function because(reason: string, names: readonly string[]): (readonly [string, string])[] {
  return names.map((name) => [name, reason]);
}
