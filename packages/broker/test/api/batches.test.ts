import { ErrorCode, initProducerIdApi } from '@logloft/protocol';
import { BATCH_FIELD, BatchBuilder, type CompressionName } from '@logloft/records';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { batchOf, fetch, produce, recordsIn } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

const CODECS: readonly CompressionName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

let broker: Broker;
let client: WireClient;
let topicNumber = 0;
let topic: string;

beforeAll(async () => {
  broker = await startBroker();
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

beforeEach(async () => {
  topicNumber += 1;
  topic = `topic-${topicNumber}`;
  await broker.createTopic({ name: topic });
});

/** Everything but what the broker fills in. */
function clientPart(batch: Buffer): Buffer {
  return batch.subarray(BATCH_FIELD.magic);
}

async function newProducerId(): Promise<number> {
  const { producerId } = await client.call(initProducerIdApi, 4, {
    transactionalId: null,
    transactionTimeoutMs: 1000,
    producerId: -1,
    producerEpoch: -1,
  });
  return producerId;
}

describe('batches', () => {
  test.each(CODECS)(
    'of %s are stored untouched and read back (cases B 29, 30)',
    async (compression) => {
      const values = Array.from({ length: 100 }, (_, index) => `a value that repeats ${index % 3}`);
      const batch = batchOf(values, { compression });
      const sent = Buffer.from(batch);
      expect(await produce(client, topic, batch)).toMatchObject({ errorCode: 0, baseOffset: 0 });
      const answer = await fetch(client, topic);
      expect(Buffer.isBuffer(answer.records) && clientPart(answer.records)).toEqual(
        clientPart(sent),
      );
      expect(recordsIn(answer).map(({ value }) => value?.toString())).toEqual(values);
    },
  );

  test('of zstd need Produce 7, and the refusal says so (cases B 30)', async () => {
    const batch = batchOf(['a'], { compression: 'zstd' });
    const refused = await produce(client, topic, Buffer.from(batch), { version: 6 });
    expect(refused.errorCode).toBe(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
    expect((await produce(client, topic, Buffer.from(batch), { version: 7 })).errorCode).toBe(0);
  });

  test('of several codecs and producers come complete and in order in one fetch (cases B 32)', async () => {
    const expected: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const compression = CODECS[round % CODECS.length] ?? 'none';
      const values = [`${round}-a`, `${round}-b`, `${round}-c`];
      expected.push(...values);
      const options =
        round % 2 === 0
          ? { compression }
          : { compression, producerId: await newProducerId(), producerEpoch: 0, baseSequence: 0 };
      expect((await produce(client, topic, batchOf(values, options))).errorCode).toBe(0);
    }
    const records = recordsIn(await fetch(client, topic));
    expect(records.map(({ value }) => value?.toString())).toEqual(expected);
    expect(records.map(({ offset }) => offset)).toEqual(expected.map((_, offset) => offset));
    // Bounded in the middle of a batch: whole ones only, and never none.
    for (const partitionMaxBytes of [1, 100, 200, 333]) {
      const found = recordsIn(await fetch(client, topic, { partitionMaxBytes, fetchOffset: 4 }));
      expect(found.length % 3).toBe(0);
      expect(found[0]?.offset).toBe(3);
    }
  });

  test('null and empty keys, and headers, come back as they were sent (cases B 28)', async () => {
    const builder = new BatchBuilder();
    const headers = [
      { key: 'h', value: null },
      { key: 'h', value: '' },
    ];
    builder.append({ timestamp: 1, key: null, value: 'a' });
    builder.append({ timestamp: 2, key: '', value: 'b', headers });
    await produce(client, topic, builder.build());
    const [first, second] = recordsIn(await fetch(client, topic));
    expect(first?.key).toBe(null);
    expect(second?.key).toEqual(Buffer.alloc(0));
    expect(second?.headers.map(({ value }) => value?.toString() ?? null)).toEqual([null, '']);
  });

  test('of an idempotent producer may wrap their sequence from 2^31 - 1 to 0 (cases B 34)', async () => {
    const producerId = await newProducerId();
    const numbered = (baseSequence: number, count: number) =>
      batchOf(
        Array.from({ length: count }, () => 'v'),
        { producerId, producerEpoch: 0, baseSequence },
      );
    // A producer that is not known here may begin anywhere.
    expect((await produce(client, topic, numbered(2 ** 31 - 2, 2))).errorCode).toBe(0);
    expect(await produce(client, topic, numbered(0, 1))).toMatchObject({
      errorCode: 0,
      baseOffset: 2,
    });
    expect(await produce(client, topic, numbered(2 ** 31 - 2, 2))).toMatchObject({
      errorCode: 0,
      baseOffset: 0,
    });
    expect(await produce(client, topic, numbered(1, 1))).toMatchObject({
      errorCode: 0,
      baseOffset: 3,
    });
  });

  test('of a producer with five in flight are all taken once, also when sent again (cases B 34)', async () => {
    const producerId = await newProducerId();
    const batch = (baseSequence: number) =>
      batchOf([`${baseSequence}`], { producerId, producerEpoch: 0, baseSequence });
    for (let first = 0; first < 50; first += 5) {
      const sequences = [0, 1, 2, 3, 4].map((step) => first + step);
      await Promise.all(sequences.map((sequence) => produce(client, topic, batch(sequence))));
      const again = await Promise.all(
        sequences.map((sequence) => produce(client, topic, batch(sequence))),
      );
      expect(again.map(({ errorCode, baseOffset }) => [errorCode, baseOffset])).toEqual(
        sequences.map((sequence) => [0, sequence]),
      );
    }
    const values = recordsIn(await fetch(client, topic)).map(({ value }) => value?.toString());
    expect(values).toEqual(Array.from({ length: 50 }, (_, index) => `${index}`));
  });

  test('with a time in the future are refused, unless the broker stamps them itself', async () => {
    const configs = { 'message.timestamp.after.max.ms': '1000' };
    await broker.createTopic({ name: `${topic}-create`, configs });
    const stamped = { ...configs, 'message.timestamp.type': 'LogAppendTime' };
    await broker.createTopic({ name: `${topic}-append`, configs: stamped });
    const future = () => batchOf(['x'], { timestamps: [Date.now() + 60_000] });
    const refused = await produce(client, `${topic}-create`, future());
    expect(refused.errorCode).toBe(ErrorCode.INVALID_TIMESTAMP);
    expect(refused.errorMessage).toContain('message.timestamp.after.max.ms');
    const taken = await produce(client, `${topic}-append`, future());
    expect(taken.errorCode).toBe(0);
    const answer = await fetch(client, `${topic}-append`);
    expect(recordsIn(answer)[0]?.timestamp).toBe(taken.logAppendTimeMs);
    const timeless = batchOf(['x'], { timestamps: [-1] });
    expect((await produce(client, `${topic}-create`, timeless)).errorCode).toBe(0);
  });
});
