import { ErrorCode } from '@logloft/protocol';
import { expect, test, vi } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { alterConfigs, RESOURCE } from '../support/admin-requests.ts';
import { batchOf, fetch, listOffset, produce, recordsIn } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

test('memory that is full is KAFKA_STORAGE_ERROR for producers; consumers go on, and there is room again when data expires', async () => {
  await using broker = await startBroker({
    memoryBytes: 300_000,
    config: { 'log.retention.check.interval.ms': '20', 'log.segment.delete.delay.ms': '0' },
  });
  await using client = await WireClient.connect(broker);
  await broker.createTopic({ name: 't', configs: { 'segment.bytes': '20000' } });
  const value = 'x'.repeat(5000);
  let acknowledged = 0;
  for (;;) {
    const { errorCode } = await produce(client, 't', batchOf([value]));
    if (errorCode !== 0) {
      expect(errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      break;
    }
    acknowledged += 1;
  }
  expect(acknowledged).toBeGreaterThan(10);
  for (let next = 0; next < acknowledged; ) {
    const answer = await fetch(client, 't', { fetchOffset: next });
    expect(answer).toMatchObject({ errorCode: 0, highWatermark: acknowledged });
    const records = recordsIn(answer);
    expect(records[0]?.offset).toBe(next);
    next += records.length;
  }
  await alterConfigs(client, { type: RESOURCE.topic, name: 't' }, [
    { name: 'retention.bytes', value: '50000' },
  ]);
  await vi.waitFor(async () => {
    expect(await produce(client, 't', batchOf([value]))).toMatchObject({
      errorCode: 0,
      baseOffset: acknowledged,
    });
  });
  expect((await listOffset(client, 't', -2)).offset).toBeGreaterThan(0);
});

test('nothing of a broker in memory is there after its end', async () => {
  const first = await startBroker({ topics: [{ name: 't' }] });
  const { clusterId } = first;
  expect(first.directory).toBe(undefined);
  await first.close();
  await using second = await startBroker();
  expect(second.topics).toEqual([]);
  expect(second.clusterId).not.toBe(clusterId);
});
