import { seededRandom } from '@logloft/clock';
import {
  type ApiDescription,
  apiVersionsApi,
  createTopicsApi,
  encodeRequest,
  fetchApi,
  findCoordinatorApi,
  joinGroupApi,
  listOffsetsApi,
  metadataApi,
  offsetFetchApi,
  produceApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { newTopic } from '../support/admin-requests.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import {
  batchOf,
  fetch,
  fetchRequest,
  produce,
  recordsIn,
  topicMetadata,
} from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let logger: RecordingLogger;
let broker: Broker;
/** Goes on whatever happens to others. */
let healthy: WireClient;
let produced = 0;

beforeAll(async () => {
  logger = new RecordingLogger();
  broker = await startBroker({
    logger,
    topics: [{ name: 't' }],
    config: { 'socket.request.max.bytes': '1000000', 'auto.create.topics.enable': 'false' },
  });
  healthy = await WireClient.connect(broker);
});

afterAll(async () => {
  await healthy[Symbol.asyncDispose]();
  await broker.close();
});

beforeEach(() => {
  logger.lines.length = 0;
});

function frame(payload: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** With an empty list of tags, of which versions without them never get to see anything here. */
function header(apiKey: number, version: number, clientId = 'bad-client'): Buffer {
  const bytes = Buffer.alloc(11 + clientId.length);
  bytes.writeInt16BE(apiKey, 0);
  bytes.writeInt16BE(version, 2);
  bytes.writeInt32BE(77, 4);
  bytes.writeInt16BE(clientId.length, 8);
  bytes.write(clientId, 10);
  return bytes;
}

async function isHealthy(): Promise<void> {
  expect(await produce(healthy, 't', batchOf([`${produced}`]))).toMatchObject({
    errorCode: 0,
    baseOffset: produced,
  });
  produced += 1;
  const last = recordsIn(await fetch(healthy, 't', { fetchOffset: produced - 1 }));
  expect(last.at(-1)?.value?.toString()).toBe(`${produced - 1}`);
}

/** Sends bytes, sees the connection closed, and returns the one line that says so. */
async function closedBy(bytes: Buffer) {
  const client = await WireClient.connect(broker);
  client.socket.write(bytes);
  await client.closed();
  await vi.waitFor(() => expect(logger.complaints).toHaveLength(1));
  await isHealthy();
  const [line] = logger.complaints;
  expect(line?.fields).toMatchObject({ client: '/127.0.0.1' });
  return line;
}

describe('a connection is closed with one line, and all others go on, upon', () => {
  test.each([4, 17, 24, 26, 31, 36, 68, 999, -1, 32_767])(
    'API %i, which is not served',
    async (apiKey) => {
      const line = await closedBy(frame(header(apiKey, 0)));
      expect(line).toMatchObject({ level: 'warn', fields: { version: 0, clientId: 'bad-client' } });
      expect(line?.fields).toHaveProperty('api');
    },
  );

  test.each([
    [produceApi, 99],
    [fetchApi, 18],
    [fetchApi, 3],
    [metadataApi, -1],
    [offsetFetchApi, 0],
  ] as [ApiDescription, number][])(
    'a version that is not served (cases A 15)',
    async (api, version) => {
      const line = await closedBy(frame(header(api.key, version)));
      expect(line?.message).toContain(`version ${version}`);
      expect(line?.fields).toMatchObject({ api: api.name, version });
    },
  );

  test('a body that ends too early, is too long, or claims more than there is', async () => {
    const { chunks } = encodeRequest(
      listOffsetsApi,
      { version: 5, correlationId: 1, clientId: 'bad-client' },
      {
        replicaId: -1,
        isolationLevel: 0,
        timeoutMs: 0,
        topics: [
          {
            name: 't',
            partitions: [
              { partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 },
            ],
          },
        ],
      },
    );
    const whole = Buffer.concat(chunks).subarray(4);
    const huge = Buffer.from(whole);
    // The number of topics, behind the header, replica id and isolation level.
    huge.writeInt32BE(0x7fff_ffff, 20 + 5);
    for (const payload of [whole.subarray(0, -1), huge, header(listOffsetsApi.key, 5)]) {
      logger.lines.length = 0;
      const line = await closedBy(frame(payload));
      expect(line?.fields).toMatchObject({
        api: 'ListOffsets',
        version: 5,
        clientId: 'bad-client',
      });
    }
  });

  test.each([
    ['no room for a header', frame(Buffer.from([0, 3, 0]))],
    ['a header that ends within the client id', frame(Buffer.from([0, 3, 0, 9, 0, 0, 0, 1, 0, 9]))],
    ['an empty frame', frame(Buffer.alloc(0))],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['a frame of 2 GiB', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 9])],
    ['a frame above socket.request.max.bytes', Buffer.from([0, 0x10, 0, 0, 0, 3, 0, 9])],
    ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['the beginning of TLS', Buffer.from('16030100c8010000c40303', 'hex')],
  ])('%s', async (_, bytes) => {
    const line = await closedBy(bytes);
    expect(line?.level).toBe('warn');
  });

  test('a produce request with acks=0 that is refused', async () => {
    const { chunks } = encodeRequest(
      produceApi,
      { version: 9, correlationId: 1, clientId: 'bad-client' },
      {
        transactionalId: null,
        acks: 0,
        timeoutMs: 0,
        topicData: [{ name: 'missing', partitionData: [{ index: 0, records: batchOf(['x']) }] }],
      },
    );
    const line = await closedBy(Buffer.concat(chunks));
    expect(line?.fields).toMatchObject({
      api: 'Produce',
      version: 9,
      clientId: 'bad-client',
      topic: 'missing',
    });
  });
});

test('half a frame and then nothing closes the connection, with a line at most', async () => {
  const client = await WireClient.connect(broker);
  client.socket.end(Buffer.from([0, 0, 0, 50, 0, 3]));
  await client.closed();
  await isHealthy();
  expect(logger.complaints.length).toBeLessThanOrEqual(1);
});

test('unknown tagged fields change nothing of the answer (cases A 24)', async () => {
  const ask = (tagged: boolean): Promise<Buffer> => {
    const tags = tagged ? [2, 0x63, 2, 0xaa, 0xbb, 0xff, 0x7f, 0] : [0];
    const body = [2, 2, 0x74, ...(tagged ? [1, 5, 1, 0x01] : [0]), 0, 0, 0, ...tags];
    const payload = Buffer.concat([
      header(metadataApi.key, 9, 'c').subarray(0, -1),
      Buffer.from([...tags, ...body]),
    ]);
    return healthy.raw(frame(payload));
  };
  const plain = await ask(false);
  expect(plain.includes('t')).toBe(true);
  expect(await ask(true)).toEqual(plain);
});

test('random changes to valid requests get an answer or a closed connection, and never harm others', async () => {
  const seed = 20_260_101;
  const random = seededRandom(seed);
  const below = (bound: number): number => random.nextUint32() % bound;
  const valid = validRequests();
  for (let round = 0; round < 400; round += 1) {
    const bytes = Buffer.from(valid[below(valid.length)] ?? Buffer.alloc(0));
    for (let change = below(4); change >= 0; change -= 1) {
      // Behind the length and the API, so that most reach a decoder.
      const at = 6 + below(bytes.length - 6);
      bytes[at] = below(3) === 0 ? ([0x00, 0x7f, 0x80, 0xff][below(4)] ?? 0) : below(256);
    }
    const client = await WireClient.connect(broker);
    client.socket.write(bytes);
    // What is behind it is answered if the connection lives; it tells when the first one was handled.
    client.socket.end(valid[0] ?? '');
    await client.closed();
    if (round % 40 === 0) await isHealthy();
  }
  await isHealthy();
  const unexpected = logger.lines.filter(({ level }) => level === 'error');
  expect(unexpected, `seed ${seed}`).toEqual([]);
  expect((await topicMetadata(healthy, 't')).errorCode).toBe(0);
});

function validRequests(): Buffer[] {
  const encoded = <Body extends object>(api: ApiDescription<Body>, version: number, body: Body) =>
    Buffer.concat(encodeRequest(api, { version, correlationId: 5, clientId: 'fuzz' }, body).chunks);
  return [
    encoded(apiVersionsApi, 3, { clientSoftwareName: 'fuzz', clientSoftwareVersion: '1' }),
    encoded(metadataApi, 9, {
      topics: [{ name: 't', topicId: ZERO_UUID }],
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: true,
      includeTopicAuthorizedOperations: true,
    }),
    encoded(produceApi, 9, {
      transactionalId: null,
      acks: 1,
      timeoutMs: 10,
      topicData: [{ name: 'missing', partitionData: [{ index: 0, records: batchOf(['a', 'b']) }] }],
    }),
    encoded(fetchApi, 12, fetchRequest('t')),
    encoded(fetchApi, 4, fetchRequest('t')),
    encoded(createTopicsApi, 7, {
      topics: [newTopic('fuzzed', { configs: [{ name: 'retention.ms', value: '1000' }] })],
      timeoutMs: 10,
      validateOnly: true,
    }),
    encoded(findCoordinatorApi, 4, { key: '', keyType: 0, coordinatorKeys: ['g'] }),
    encoded(joinGroupApi, 5, {
      groupId: 'g',
      sessionTimeoutMs: 6000,
      rebalanceTimeoutMs: 100,
      memberId: 'nobody',
      groupInstanceId: null,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.from('abc') }],
      reason: null,
    }),
    encoded(offsetFetchApi, 8, {
      groupId: '',
      topics: [],
      groups: [{ groupId: 'g', memberId: null, memberEpoch: -1, topics: null }],
      requireStable: true,
    }),
  ];
}
