import { expect, test } from 'vitest';
import type { ConfigSources } from '../../src/config/config-source-texts.ts';
import { loadConfig } from '../../src/config/load.ts';

function file(text: string): ConfigSources['file'] {
  return { path: 'server.properties', text };
}

/** What is thrown, as code and message. */
function failure(sources: ConfigSources): unknown {
  try {
    loadConfig(sources);
    return 'nothing';
  } catch (error) {
    return error;
  }
}

test('nothing set is a sound configuration', () => {
  const { values, texts, warnings } = loadConfig({});
  expect(texts.size).toBe(0);
  expect(warnings).toEqual([]);
  expect(values.number('node.id')).toBe(0);
  expect(values.number('queued.max.request.bytes')).toBe(64 * 1024 * 1024);
  expect(values.number('remote.log.manager.write.quota.default')).toBe(Number.POSITIVE_INFINITY);
  expect(values.has('log.dirs')).toBe(false);
});

test('flags win over the environment, that over the file, and that over presets', () => {
  const sources: ConfigSources = {
    presets: [
      ['num.partitions', '2'],
      ['group.max.size', '2'],
      ['offsets.retention.minutes', '2'],
      ['offset.metadata.max.bytes', '2'],
    ],
    file: file('num.partitions=3\ngroup.max.size=3\noffsets.retention.minutes=3'),
    environment: { LOGLOFT_NUM_PARTITIONS: '4', LOGLOFT_GROUP_MAX_SIZE: '4', HOME: '/root' },
    flags: [['num.partitions', '5']],
  };
  const { values, origins } = loadConfig(sources);
  expect(values.number('num.partitions')).toBe(5);
  expect(values.number('group.max.size')).toBe(4);
  expect(values.number('offsets.retention.minutes')).toBe(3);
  expect(values.number('offset.metadata.max.bytes')).toBe(2);
  expect([...origins]).toEqual([
    ['num.partitions', 'flag num.partitions'],
    ['group.max.size', 'environment variable LOGLOFT_GROUP_MAX_SIZE'],
    ['offsets.retention.minutes', 'server.properties line 3'],
    ['offset.metadata.max.bytes', 'preset offset.metadata.max.bytes'],
  ]);
});

test('an unknown key stops the start with the nearest name and the place', () => {
  expect(failure({ file: file('\nlog.segment.byte=1') })).toMatchObject({
    code: 'LOGLOFT_CONFIG_UNKNOWN_KEY',
    key: 'log.segment.byte',
    nearest: 'log.segment.bytes',
    message:
      'There is no property "log.segment.byte". Did you mean log.segment.bytes? (server.properties line 2)',
  });
  expect(failure({ environment: { LOGLOFT_NODEID: '1' } })).toMatchObject({
    code: 'LOGLOFT_CONFIG_UNKNOWN_KEY',
    nearest: 'node.id',
    origin: 'environment variable LOGLOFT_NODEID',
  });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(failure({ flags: [[name, '1']] })).toMatchObject({ code: 'LOGLOFT_CONFIG_UNKNOWN_KEY' });
  }
});

test('variables that mean something else are left alone', () => {
  const environment = { LOGLOFT_DATA: '/data', LOGLOFT_NODE_ID: '3', LOGLOFT_UNSET: undefined };
  const { values } = loadConfig({ environment, reservedVariables: ['LOGLOFT_DATA'] });
  expect(values.number('node.id')).toBe(3);
});

test('a value out of range stops the start', () => {
  expect(failure({ flags: [['num.partitions', '0']] })).toMatchObject({
    code: 'LOGLOFT_CONFIG_INVALID_VALUE',
    message: 'num.partitions must be an int from 1 to 2147483647; got "0". (flag num.partitions)',
  });
});

test('an alias sets the property, and two names with different values stop the start', () => {
  const released = 'remote.log.manager.copy.max.bytes.per.second';
  const draft = 'remote.log.manager.write.quota.default';
  const { values } = loadConfig({ file: file(`${released}=5000\nbroker.id=7`) });
  expect(values.number(draft)).toBe(5000);
  expect(values.number('node.id')).toBe(7);
  expect(loadConfig({ file: file(`${released}=5000\n${draft}=5000`) }).texts.get(draft)).toBe(
    '5000',
  );
  expect(failure({ file: file(`${released}=5000\n${draft}=6000`) })).toMatchObject({
    code: 'LOGLOFT_CONFIG_CONFLICT',
    message: expect.stringMatching(/5000 and 6000.*line 1 and server\.properties line 2/),
  });
});

test('a later source may use the other name', () => {
  const { values } = loadConfig({
    file: file('remote.log.manager.write.quota.default=1'),
    flags: [['remote.log.manager.copy.max.bytes.per.second', '2']],
  });
  expect(values.number('remote.log.manager.write.quota.default')).toBe(2);
});

test('the same key twice in a file counts at its last place, and is mentioned', () => {
  const { values, warnings } = loadConfig({ file: file('num.partitions=1\nnum.partitions=2') });
  expect(values.number('num.partitions')).toBe(2);
  expect(warnings).toEqual([
    'num.partitions is set twice (server.properties line 1, server.properties line 2); the latter counts.',
  ]);
});

test('the file that comes with Kafka is accepted, with a line for what has no effect', () => {
  const { values, warnings } = loadConfig({
    file: file(`
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=33554432
log.dirs=/tmp/kraft-combined-logs
num.partitions=1
num.recovery.threads.per.data.dir=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
`),
  });
  expect(values.list('log.dirs')).toEqual(['/tmp/kraft-combined-logs']);
  expect(warnings).toHaveLength(10);
  expect(warnings[0]).toBe(
    'process.roles has no effect here: this broker is its own controller (server.properties line 2).',
  );
});

test.each([
  ['ssl.keystore.location', 'TLS'],
  ['sasl.enabled.mechanisms', 'SASL'],
  ['authorizer.class.name', 'authorization'],
])('%s asks for %s, which is refused by name', (key, feature) => {
  expect(failure({ flags: [[key, 'x']] })).toMatchObject({
    code: 'LOGLOFT_CONFIG_UNSUPPORTED',
    key,
    message: expect.stringContaining(feature),
  });
});

test('options of the plugin are passed on without their prefix, whatever they are called', () => {
  const { remoteStorageOptions } = loadConfig({
    file: file('rsm.config.chunk.size=1\nrsm.config.__proto__=x\nrsm.config.Upper=y'),
    flags: [['rsm.config.chunk.size', '2']],
  });
  expect([...remoteStorageOptions]).toEqual([
    ['chunk.size', '2'],
    ['__proto__', 'x'],
    ['Upper', 'y'],
  ]);
});

test('the prefix of these options is itself an option', () => {
  const { remoteStorageOptions } = loadConfig({
    file: file('my.chunk.size=1\nremote.log.storage.manager.impl.prefix=my.'),
  });
  expect([...remoteStorageOptions]).toEqual([['chunk.size', '1']]);
});

test('settings of the metadata manager are read, checked, and named in full when wrong', () => {
  const { remoteMetadata, warnings } = loadConfig({
    file: file(
      'rlmm.config.remote.log.metadata.topic.num.partitions=5\n' +
        'rlmm.config.remote.log.metadata.common.client.security.protocol=PLAINTEXT',
    ),
  });
  expect(remoteMetadata.number('remote.log.metadata.topic.num.partitions')).toBe(5);
  expect(warnings).toHaveLength(1);
  expect(
    failure({ flags: [['rlmm.config.remote.log.metadata.topic.num.partition', '5']] }),
  ).toMatchObject({
    key: 'rlmm.config.remote.log.metadata.topic.num.partition',
    nearest: 'rlmm.config.remote.log.metadata.topic.num.partitions',
  });
});

test.each<[string, Record<string, string>, string]>([
  [
    'less receive memory than one request',
    { 'queued.max.request.bytes': '100' },
    'LOGLOFT_CONFIG_CONFLICT',
  ],
  [
    'session timeouts the wrong way round',
    { 'group.max.session.timeout.ms': '1' },
    'LOGLOFT_CONFIG_CONFLICT',
  ],
  ['a retention of nothing', { 'log.retention.hours': '0' }, 'LOGLOFT_CONFIG_INVALID_VALUE'],
  ['several directories', { 'log.dirs': '/a,/b' }, 'LOGLOFT_CONFIG_UNSUPPORTED'],
  [
    'a remote tier without a plugin',
    { 'remote.log.storage.system.enable': 'true' },
    'LOGLOFT_CONFIG_CONFLICT',
  ],
  [
    'tiering without a remote tier',
    { 'log.remote.storage.enable': 'true' },
    'LOGLOFT_CONFIG_CONFLICT',
  ],
  ['compaction of all topics', { 'log.cleanup.policy': 'compact' }, 'LOGLOFT_CONFIG_UNSUPPORTED'],
  [
    'more local than total retention',
    { 'log.local.retention.ms': '-1' },
    'LOGLOFT_CONFIG_CONFLICT',
  ],
  ['two replicas', { 'default.replication.factor': '2' }, 'LOGLOFT_CONFIG_INVALID_VALUE'],
  ['a TLS listener', { listeners: 'SSL://:9093' }, 'LOGLOFT_CONFIG_UNSUPPORTED'],
])('%s stops the start', (_, properties, code) => {
  expect(failure({ flags: Object.entries(properties) })).toMatchObject({ code });
});

test('the error of a rule says where the key was written', () => {
  expect(failure({ file: file('log.dirs=/a,/b') })).toMatchObject({
    origin: 'server.properties line 1',
  });
});
