import { ErrorCode, encodeRequest, initProducerIdApi, produceApi } from '@logloft/protocol';
import { BATCH_FIELD } from '@logloft/records';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { batchOf, fetch, listOffset, produce, recordsIn } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;
let topicNumber = 0;
let topic: string;

beforeAll(async () => {
  broker = await startBroker({ config: { 'message.max.bytes': '100000' } });
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
  if (client.isClosed) client = await WireClient.connect(broker);
});

describe('Produce', () => {
  test.each([3, 5, 7, 8, 9, 11])(
    'version %i appends and answers the base offset',
    async (version) => {
      expect(await produce(client, topic, batchOf(['a', 'b']), { version })).toMatchObject({
        errorCode: 0,
        baseOffset: 0,
      });
      expect(await produce(client, topic, batchOf(['c']), { version })).toMatchObject({
        errorCode: 0,
        baseOffset: 2,
      });
    },
  );

  test.each([0, 1, 2])(
    'version %i, of old message sets, is answered with error 35',
    async (version) => {
      const answer = await produce(client, topic, batchOf(['a']), { version });
      expect(answer.errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
    },
  );

  test('a batch with a wrong checksum or length is CORRUPT_MESSAGE, and nothing of it is stored', async () => {
    const wrongCrc = batchOf(['a']);
    wrongCrc.writeUInt8(wrongCrc.readUInt8(wrongCrc.length - 1) ^ 1, wrongCrc.length - 1);
    const tooLong = batchOf(['a']);
    tooLong.writeInt32BE(tooLong.readInt32BE(BATCH_FIELD.batchLength) + 1, BATCH_FIELD.batchLength);
    for (const bad of [wrongCrc, tooLong, batchOf(['a']).subarray(0, 65), Buffer.alloc(100)]) {
      const answer = await produce(client, topic, bad);
      expect(answer.errorCode).toBe(ErrorCode.CORRUPT_MESSAGE);
      expect(answer.errorMessage).not.toBe(null);
    }
    expect((await listOffset(client, topic, -1)).offset).toBe(0);
  });

  test('no batch, two batches, a negative count or a base offset is INVALID_RECORD', async () => {
    const negative = batchOf(['a']);
    const withOffset = batchOf(['a'], { baseOffset: 7 });
    const two = Buffer.concat([batchOf(['a']), batchOf(['b'])]);
    for (const bad of [null, Buffer.alloc(0), two, withOffset]) {
      expect((await produce(client, topic, bad)).errorCode).toBe(ErrorCode.INVALID_RECORD);
    }
    negative.writeInt32BE(-5, BATCH_FIELD.recordCount);
    // Its checksum is wrong, too, and that is what is found first.
    expect((await produce(client, topic, negative)).errorCode).toBe(ErrorCode.CORRUPT_MESSAGE);
  });

  test('a batch beyond max.message.bytes is MESSAGE_TOO_LARGE', async () => {
    const answer = await produce(client, topic, batchOf(['x'.repeat(100_001)]));
    expect(answer.errorCode).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  });

  test('an unknown partition is error 3, other acks than -1, 0, 1 error 21, an internal topic error 17', async () => {
    expect((await produce(client, topic, batchOf(['a']), { partition: 9 })).errorCode).toBe(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
    expect((await produce(client, topic, batchOf(['a']), { acks: 2 })).errorCode).toBe(
      ErrorCode.INVALID_REQUIRED_ACKS,
    );
  });

  test('a transactional batch is refused with error 53, since transactions are not served', async () => {
    const batch = batchOf(['a'], {
      isTransactional: true,
      producerId: 5,
      producerEpoch: 0,
      baseSequence: 0,
    });
    expect((await produce(client, topic, batch)).errorCode).toBe(
      ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    );
  });

  test('with acks=0 there is no answer; what comes after it is answered, and it was stored', async () => {
    client.send(produceApi, 9, {
      transactionalId: null,
      acks: 0,
      timeoutMs: 1000,
      topicData: [{ name: topic, partitionData: [{ index: 0, records: batchOf(['quiet']) }] }],
    });
    expect((await produce(client, topic, batchOf(['loud']))).baseOffset).toBe(1);
  });

  test('with acks=0 an error closes the connection', async () => {
    const own = await WireClient.connect(broker);
    own.send(produceApi, 9, {
      transactionalId: null,
      acks: 0,
      timeoutMs: 1000,
      topicData: [{ name: 'no-such', partitionData: [{ index: 0, records: batchOf(['x']) }] }],
    });
    await own.closed();
  });

  test('100,000 acks=0 records through one socket are all stored (cases B 39)', async () => {
    const values = Array.from({ length: 100 }, (_, i) => `value-${i}`);
    const frames: Buffer[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const { chunks } = encodeRequest(
        produceApi,
        { version: 9, correlationId: i, clientId: null },
        {
          transactionalId: null,
          acks: 0,
          timeoutMs: 1000,
          topicData: [{ name: topic, partitionData: [{ index: 0, records: batchOf(values) }] }],
        },
      );
      frames.push(...chunks);
    }
    client.socket.write(Buffer.concat(frames));
    expect((await produce(client, topic, batchOf(['last']))).baseOffset).toBe(100_000);
  });

  test('null and empty values stay distinct (cases B 26)', async () => {
    await produce(client, topic, batchOf([null, '']));
    const [tombstone, empty] = recordsIn(await fetch(client, topic));
    expect(tombstone?.value).toBe(null);
    expect(empty?.value).toEqual(Buffer.alloc(0));
  });

  test('LogAppendTime stamps the batch, keeps its checksum right and tells the time (cases B 36)', async () => {
    const stamped = `${topic}-stamped`;
    const configs = { 'message.timestamp.type': 'LogAppendTime' };
    await broker.createTopic({ name: stamped, configs });
    const before = Date.now();
    const answer = await produce(client, stamped, batchOf(['a'], { timestamps: [1000] }));
    expect(answer.logAppendTimeMs).toBeGreaterThanOrEqual(before);
    const [record] = recordsIn(await fetch(client, stamped));
    expect(record?.timestamp).toBe(answer.logAppendTimeMs);
  });
});

describe('idempotent producers', () => {
  async function newProducer(): Promise<number> {
    const answer = await client.call(initProducerIdApi, 4, {
      transactionalId: null,
      transactionTimeoutMs: 2_147_483_647,
      producerId: -1,
      producerEpoch: -1,
    });
    expect(answer).toMatchObject({ errorCode: 0, producerEpoch: 0 });
    expect(answer.producerId).toBeGreaterThan(0);
    return answer.producerId;
  }

  function numbered(producerId: number, baseSequence: number, producerEpoch = 0): Buffer {
    return batchOf(['v'], { producerId, producerEpoch, baseSequence });
  }

  test('a repeated batch is answered with its first offset, a gap with 45, an old epoch with 47 (cases B 34)', async () => {
    const id = await newProducer();
    for (let sequence = 0; sequence < 5; sequence += 1) {
      expect(await produce(client, topic, numbered(id, sequence))).toMatchObject({
        errorCode: 0,
        baseOffset: sequence,
      });
    }
    expect(await produce(client, topic, numbered(id, 2))).toMatchObject({
      errorCode: 0,
      baseOffset: 2,
    });
    expect((await produce(client, topic, numbered(id, 9))).errorCode).toBe(
      ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    );
    expect(await produce(client, topic, numbered(id, 0, 1))).toMatchObject({ baseOffset: 5 });
    expect((await produce(client, topic, numbered(id, 5))).errorCode).toBe(
      ErrorCode.INVALID_PRODUCER_EPOCH,
    );
    expect((await listOffset(client, topic, -1)).offset).toBe(6);
  });

  test('a transactional id is refused with error 53, an empty one with 42', async () => {
    const ask = (transactionalId: string) =>
      client.call(initProducerIdApi, 4, {
        transactionalId,
        transactionTimeoutMs: 1000,
        producerId: -1,
        producerEpoch: -1,
      });
    expect((await ask('t')).errorCode).toBe(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
    expect((await ask('')).errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });
});
