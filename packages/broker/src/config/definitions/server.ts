import { type ConfigDefinition, defineConfig } from '../config-definition.ts';

/** Identity, listeners, limits of requests, and how topics come and go. */
export const SERVER_DEFINITIONS: readonly ConfigDefinition[] = Object.freeze([
  defineConfig('node.id', {
    type: 'int',
    default: '0',
    min: 0,
    aliases: ['broker.id'],
    doc: 'The number by which clients know this broker. Chosen once: data directories remember it.',
  }),
  defineConfig('listeners', {
    type: 'list',
    default: 'PLAINTEXT://127.0.0.1:9092',
    nonEmpty: true,
    doc: 'Addresses to listen on, as NAME://host:port. An empty host is every interface, port 0 any free port.',
  }),
  defineConfig('advertised.listeners', {
    type: 'list',
    doc: 'Addresses that clients are told to connect to, one for each listener by name. Not set: those of listeners.',
  }),
  defineConfig('listener.security.protocol.map', {
    type: 'list',
    default: 'PLAINTEXT:PLAINTEXT',
    doc: 'The security protocol of each listener name, as NAME:PROTOCOL. Only PLAINTEXT is served so far.',
  }),
  defineConfig('controller.listener.names', {
    type: 'list',
    doc: 'Listener names that belong to a separate controller. This broker is its own controller, and leaves them out.',
  }),
  defineConfig('log.dirs', {
    type: 'list',
    aliases: ['log.dir'],
    doc: 'The directory that holds topics and the state of the cluster. Only one is served. Not set: chosen by whoever starts the broker.',
  }),
  defineConfig('max.connections', {
    type: 'int',
    default: '2147483647',
    min: 1,
    doc: 'How many connections a listener keeps at one time. One more is closed at once.',
  }),
  defineConfig('connections.max.idle.ms', {
    type: 'long',
    default: '600000',
    doc: 'A connection without traffic for this many ms is closed. Negative: never.',
  }),
  defineConfig('socket.request.max.bytes', {
    type: 'int',
    default: '33554432',
    min: 1,
    doc: 'The largest request in bytes. A connection that announces a larger one is closed.',
  }),
  defineConfig('queued.max.request.bytes', {
    type: 'long',
    default: '67108864',
    min: 1,
    doc: 'Memory for requests that are being received or worked on, in bytes, over all connections. While it is used up, sockets are not read. At least socket.request.max.bytes.',
  }),
  defineConfig('fetch.max.bytes', {
    type: 'int',
    default: '57671680',
    min: 1024,
    doc: 'The most record bytes in one answer to a fetch, whatever the client asks for. The first batch is always whole.',
  }),
  defineConfig('num.partitions', {
    type: 'int',
    default: '1',
    min: 1,
    doc: 'Partitions of a topic that is created without a number of them.',
  }),
  defineConfig('default.replication.factor', {
    type: 'int',
    default: '1',
    min: 1,
    max: 1,
    doc: 'Replicas of a topic that is created without a number of them. There is one broker, so only 1 is possible.',
  }),
  defineConfig('auto.create.topics.enable', {
    type: 'boolean',
    default: 'true',
    doc: 'Whether a topic is created when a client that allows it asks for it.',
  }),
  defineConfig('delete.topic.enable', {
    type: 'boolean',
    default: 'true',
    doc: 'Whether topics can be deleted.',
  }),
  defineConfig('producer.id.expiration.ms', {
    type: 'int',
    default: '86400000',
    min: 1,
    doc: 'What a partition knows of an idempotent producer is forgotten when it has not written for this many ms.',
  }),
  defineConfig('transaction.max.timeout.ms', {
    type: 'int',
    default: '900000',
    min: 1,
    doc: 'The longest transaction timeout in ms that a producer may ask for.',
  }),
]);
