import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alterConfigsApi, describeConfigsApi, ErrorCode } from '@logloft/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import {
  alterConfigs,
  type ConfigChange,
  describeConfigs,
  OPERATION,
  RESOURCE,
} from '../support/admin-requests.ts';
import { Loft } from '../support/loft.ts';
import { batchOf, produce } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

const NODE = { type: RESOURCE.broker, name: '0' };
const CLUSTER = { type: RESOURCE.broker, name: '' };
const WRITE = 'remote.log.manager.write.quota.default';
const READ = 'remote.log.manager.read.quota.default';
const UNLIMITED = 2 ** 63;

let directory: string;
let loft: Loft;
let broker: Broker;
let client: WireClient;
let topicNumber = 0;
let topic: { readonly type: number; readonly name: string };

async function start(): Promise<void> {
  broker = await startBroker({
    directory,
    remoteStorage: loft.factory,
    config: { 'rlmm.config.remote.log.metadata.topic.num.partitions': '1' },
  });
  client = await WireClient.connect(broker);
}

async function stop(): Promise<void> {
  await client[Symbol.asyncDispose]();
  await broker.close();
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-configs-'));
  loft = new Loft();
  await start();
});

afterAll(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  topicNumber += 1;
  topic = { type: RESOURCE.topic, name: `topic-${topicNumber}` };
  await broker.createTopic({ name: topic.name });
});

async function valueIn(resource: typeof topic, name: string): Promise<string | null | undefined> {
  return (await describeConfigs(client, resource)).get(name)?.value;
}

describe('DescribeConfigs', () => {
  test.each([1, 2, 3, 4])('version %i describes topics and the broker', async (version) => {
    const ofTopic = await describeConfigs(client, topic, { version });
    expect(ofTopic.get('cleanup.policy')).toMatchObject({
      value: 'delete',
      readOnly: false,
      isSensitive: false,
      configSource: 5,
      synonyms: [{ name: 'log.cleanup.policy', value: 'delete', source: 5 }],
    });
    const ofBroker = await describeConfigs(client, NODE, { version });
    expect(ofBroker.get('node.id')).toMatchObject({ readOnly: true });
    if (version < 3) return;
    expect(ofBroker.get('node.id')?.configType).toBe(3);
    expect(ofBroker.get('node.id')?.documentation).toMatch(/\w+ \w+ \w+/);
  });

  test('named keys are described alone, unknown ones left out', async () => {
    const found = await describeConfigs(client, topic, { keys: ['retention.ms', 'no.such'] });
    expect([...found.keys()]).toEqual(['retention.ms']);
  });

  test('the quotas of KIP-956 have type, mode, default, source, documentation and the released name', async () => {
    const found = await describeConfigs(client, NODE, { keys: [WRITE, READ] });
    for (const [name, alias] of [
      [WRITE, 'remote.log.manager.copy.max.bytes.per.second'],
      [READ, 'remote.log.manager.fetch.max.bytes.per.second'],
    ] as const) {
      const config = found.get(name);
      expect(config).toMatchObject({
        value: '9223372036854775807',
        configType: 5,
        readOnly: false,
        configSource: 5,
      });
      expect(config?.documentation).toContain('bytes per second');
      expect(config?.synonyms.map((synonym) => synonym.name)).toContain(alias);
    }
    const names = ['write', 'read'].flatMap((quota) => [
      `remote.log.manager.${quota}.quota.window.num`,
      `remote.log.manager.${quota}.quota.window.size.seconds`,
    ]);
    const statics = await describeConfigs(client, NODE, { keys: names });
    expect(
      [...statics.values()].map(({ value, configType, readOnly }) => [value, configType, readOnly]),
    ).toEqual([
      ['61', 3, true],
      ['1', 3, true],
      ['11', 3, true],
      ['1', 3, true],
    ]);
  });

  test('what is not there is an error of its entry with a message', async () => {
    const answer = await client.call(describeConfigsApi, 4, {
      resources: [
        { resourceType: RESOURCE.topic, resourceName: 'missing', configurationKeys: null },
        { resourceType: RESOURCE.broker, resourceName: '7', configurationKeys: null },
        { resourceType: 32, resourceName: 'group', configurationKeys: null },
        { resourceType: RESOURCE.topic, resourceName: topic.name, configurationKeys: [] },
      ],
      includeSynonyms: false,
      includeDocumentation: false,
    });
    const [missing, stranger, group, found] = answer.results;
    expect(missing?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(stranger?.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    expect(group?.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    for (const refused of [missing, stranger, group]) {
      expect(refused?.errorMessage).toMatch(/\w+ \w+/);
    }
    expect(found?.configs.length).toBeGreaterThan(20);
    expect(found?.configs[0]).toMatchObject({ synonyms: [], documentation: null });
  });
});

describe('IncrementalAlterConfigs', () => {
  const retention = (value: string | null, operation: number = OPERATION.set): ConfigChange => ({
    name: 'retention.ms',
    operation,
    value,
  });

  test.each([0, 1])('version %i sets and deletes, and leaves the rest', async (version) => {
    const other = { name: 'segment.ms', value: '50000' };
    expect(await alterConfigs(client, topic, [retention('60000'), other], { version })).toEqual({
      errorCode: 0,
      errorMessage: null,
      resourceType: RESOURCE.topic,
      resourceName: topic.name,
    });
    expect(await valueIn(topic, 'retention.ms')).toBe('60000');
    await alterConfigs(client, topic, [retention(null, OPERATION.remove)], { version });
    expect(await valueIn(topic, 'retention.ms')).toBe('604800000');
    expect(await valueIn(topic, 'segment.ms')).toBe('50000');
  });

  test('a change takes effect at once', async () => {
    await alterConfigs(client, topic, [{ name: 'max.message.bytes', value: '500' }]);
    expect((await produce(client, topic.name, batchOf(['x'.repeat(600)]))).errorCode).toBe(
      ErrorCode.MESSAGE_TOO_LARGE,
    );
  });

  test('lists are appended to and subtracted from; what is no list is not', async () => {
    const append = { name: 'cleanup.policy', operation: OPERATION.append, value: 'delete' };
    expect((await alterConfigs(client, topic, [append])).errorCode).toBe(0);
    expect(await valueIn(topic, 'cleanup.policy')).toBe('delete');
    const compact = await alterConfigs(client, topic, [{ ...append, value: 'compact' }]);
    expect(compact.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    expect(compact.errorMessage).toContain('compaction');
    const subtract = { ...append, operation: OPERATION.subtract, value: 'compact' };
    expect((await alterConfigs(client, topic, [subtract])).errorCode).toBe(0);
    expect(await valueIn(topic, 'cleanup.policy')).toBe('delete');
    const last = await alterConfigs(client, topic, [{ ...subtract, value: 'delete' }]);
    expect(last.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    for (const operation of [OPERATION.append, OPERATION.subtract]) {
      const answer = await alterConfigs(client, topic, [retention('1', operation)]);
      expect(answer.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    }
  });

  test('validateOnly checks and changes nothing', async () => {
    const options = { validateOnly: true };
    expect((await alterConfigs(client, topic, [retention('60000')], options)).errorCode).toBe(0);
    expect((await alterConfigs(client, topic, [retention('soon')], options)).errorCode).toBe(
      ErrorCode.INVALID_CONFIG,
    );
    expect(await valueIn(topic, 'retention.ms')).toBe('604800000');
  });

  test('an invalid value names key, value and what is allowed, and nothing of the request is set (cases D 88)', async () => {
    const answer = await alterConfigs(client, topic, [
      retention('60000'),
      { name: 'cleanup.policy', value: 'compactt' },
    ]);
    expect(answer.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    for (const word of ['cleanup.policy', 'compactt', 'delete']) {
      expect(answer.errorMessage).toContain(word);
    }
    expect(await valueIn(topic, 'retention.ms')).toBe('604800000');
  });

  test('a key twice is INVALID_REQUEST, an unknown one INVALID_CONFIG with the nearest name', async () => {
    const twice = await alterConfigs(client, topic, [retention('1'), retention('2')]);
    expect(twice.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    const unknown = await alterConfigs(client, topic, [{ name: 'retention.m', value: '1' }]);
    expect(unknown.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    expect(unknown.errorMessage).toContain('retention.ms');
    const missing = await alterConfigs(client, { ...topic, name: 'missing' }, [retention('1')]);
    expect(missing.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});

describe('AlterConfigs', () => {
  test.each([0, 1, 2])('version %i replaces all that is set', async (version) => {
    await alterConfigs(client, topic, [{ name: 'segment.ms', value: '50000' }]);
    const alter = async (name: string, value: string | null, validateOnly = false) => {
      const { responses } = await client.call(alterConfigsApi, version, {
        resources: [
          {
            resourceType: RESOURCE.topic,
            resourceName: topic.name,
            configs: [{ name, value }],
          },
        ],
        validateOnly,
      });
      return responses[0]?.errorCode;
    };
    expect(await alter('retention.ms', '70000', true)).toBe(0);
    expect(await valueIn(topic, 'segment.ms')).toBe('50000');
    expect(await alter('retention.ms', null)).not.toBe(0);
    expect(await alter('retention.ms', '70000')).toBe(0);
    expect(await valueIn(topic, 'retention.ms')).toBe('70000');
    expect(await valueIn(topic, 'segment.ms')).toBe('604800000');
  });

  test('a resource twice is refused the second time', async () => {
    const resource = {
      resourceType: RESOURCE.topic,
      resourceName: topic.name,
      configs: [{ name: 'retention.ms', value: '70000' }],
    };
    const { responses } = await client.call(alterConfigsApi, 2, {
      resources: [resource, resource],
      validateOnly: false,
    });
    expect(responses.map(({ errorCode }) => errorCode)).toEqual([0, ErrorCode.INVALID_REQUEST]);
  });
});

describe('the limits of the remote tier', () => {
  test('change on the cluster default and on the node, which wins, take effect at once and survive a restart', async () => {
    const limits = () => {
      const quotas = broker.quotaStatus();
      return [quotas?.write.limit, quotas?.read.limit];
    };
    expect(
      (await alterConfigs(client, CLUSTER, [{ name: WRITE, value: '1000000' }])).errorCode,
    ).toBe(0);
    expect(
      (await alterConfigs(client, CLUSTER, [{ name: READ, value: '3000000' }])).errorCode,
    ).toBe(0);
    expect(limits()).toEqual([1_000_000, 3_000_000]);
    // By its released name.
    const released = 'remote.log.manager.copy.max.bytes.per.second';
    expect(
      (await alterConfigs(client, NODE, [{ name: released, value: '2000000' }])).errorCode,
    ).toBe(0);
    expect(limits()).toEqual([2_000_000, 3_000_000]);
    const described = await describeConfigs(client, NODE, { keys: [WRITE] });
    expect(described.get(WRITE)).toMatchObject({ value: '2000000', configSource: 2 });
    expect(described.get(WRITE)?.synonyms.map(({ value, source }) => [value, source])).toEqual(
      expect.arrayContaining([
        ['2000000', 2],
        ['1000000', 3],
        ['9223372036854775807', 5],
      ]),
    );
    await stop();
    await start();
    expect(limits()).toEqual([2_000_000, 3_000_000]);
    await alterConfigs(client, NODE, [{ name: WRITE, operation: OPERATION.remove, value: null }]);
    expect(limits()).toEqual([1_000_000, 3_000_000]);
    for (const name of [WRITE, READ]) {
      await alterConfigs(client, CLUSTER, [{ name, operation: OPERATION.remove, value: null }]);
    }
    expect(limits()).toEqual([UNLIMITED, UNLIMITED]);
  });

  test('a static one is refused with INVALID_REQUEST and its name, on both', async () => {
    for (const resource of [NODE, CLUSTER]) {
      for (const name of [
        'remote.log.manager.write.quota.window.num',
        'remote.log.manager.read.quota.window.size.seconds',
        'remote.log.manager.copy.quota.window.num',
      ]) {
        const answer = await alterConfigs(client, resource, [{ name, value: '5' }]);
        expect(answer.errorCode, name).toBe(ErrorCode.INVALID_REQUEST);
        expect(answer.errorMessage).toContain(name.replace('copy', 'write'));
      }
    }
  });

  test('a limit that is none is INVALID_CONFIG', async () => {
    for (const value of ['0', '-1', 'fast', '9223372036854775808', '']) {
      const answer = await alterConfigs(client, CLUSTER, [{ name: WRITE, value }]);
      expect(answer.errorCode, value).toBe(ErrorCode.INVALID_CONFIG);
      expect(answer.errorMessage).toContain(WRITE);
    }
  });

  test('defaults of the broker that change count for its topics', async () => {
    const set = { name: 'log.retention.ms', value: '90000' };
    expect((await alterConfigs(client, CLUSTER, [set])).errorCode).toBe(0);
    expect(await valueIn(topic, 'retention.ms')).toBe('90000');
    await alterConfigs(client, CLUSTER, [{ ...set, operation: OPERATION.remove, value: null }]);
    expect(await valueIn(topic, 'retention.ms')).toBe('604800000');
  });
});
