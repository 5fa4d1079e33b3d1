import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { alterConfigs, describeConfigs, RESOURCE } from '../support/admin-requests.ts';
import { WireClient } from '../support/wire-client.ts';

test('of two clients that change different settings at once, none undoes what the other did', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'logloft-config-changes-'));
  try {
    await using broker = await startBroker({ directory, topics: [{ name: 't' }] });
    await using first = await WireClient.connect(broker);
    await using second = await WireClient.connect(broker);
    for (const [resource, one, other] of [
      [{ type: RESOURCE.topic, name: 't' }, 'retention.ms', 'segment.bytes'],
      [{ type: RESOURCE.broker, name: '0' }, 'log.retention.ms', 'log.segment.bytes'],
    ] as const) {
      const answers = await Promise.all([
        alterConfigs(first, resource, [{ name: one, value: '123456' }]),
        alterConfigs(second, resource, [{ name: other, value: '654321' }]),
      ]);
      expect(answers.map(({ errorCode }) => errorCode)).toEqual([0, 0]);
      const configs = await describeConfigs(first, resource);
      expect([configs.get(one)?.value, configs.get(other)?.value]).toEqual(['123456', '654321']);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
