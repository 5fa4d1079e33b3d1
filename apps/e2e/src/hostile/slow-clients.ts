import {
  apiVersionsApi,
  decodeResponse,
  ErrorCode,
  metadataApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { sleep } from '../harness/sleep.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { assertGrowth, whileMeasuring } from './broker-memory.ts';
import { int32, requestFrame } from './frames.ts';
import { attack, type HostileScene } from './hostile-scene.ts';
import { RawConnection } from './raw-connection.ts';

const MIB = 1024 * 1024;
const LORIS_CONNECTIONS = 200;
const LORIS_PAUSE_MS = 25;
const MAX_LORIS_GROWTH_BYTES = 64 * MIB;

const CLAIMING_CONNECTIONS = 64;
/** `socket.request.max.bytes`, the largest that may be claimed. */
const CLAIMED_BYTES = 32 * MIB;
const FIRST_BYTES = 300 * 1024;
const CLAIMING_MS = 5000;
const CLAIMING_PAUSE_MS = 10;
/** `queued.max.request.bytes` and one request in growth, and as much again for what holds it. */
const MAX_CLAIMED_GROWTH_BYTES = (64 + 32) * MIB + 64 * MIB;

const PIPELINED_REQUESTS = 10_000;
const PIPELINED_VERSION = 9;
/** So many that the answers do not fit into what the system keeps for sockets. */
const ASKED_TOPICS = 10;
const MAX_PIPELINED_GROWTH_BYTES = 96 * MIB;

/** Clients that are slow on purpose: what they hold is bounded, and others do not wait for them. */
export async function checkSlowClients(scene: HostileScene): Promise<void> {
  await attack(
    scene,
    `${LORIS_CONNECTIONS} connections that send one byte at a time: all are answered`,
    () => checkLoris(scene),
  );
  await attack(
    scene,
    `${CLAIMING_CONNECTIONS} connections that claim 32 MiB each and send slowly: memory is bounded`,
    () => checkClaims(scene),
  );
  await attack(
    scene,
    `${PIPELINED_REQUESTS} requests sent without reading an answer: bounded, then all answered in order`,
    () => checkPipelining(scene),
  );
}

async function checkLoris({ broker, pid }: HostileScene): Promise<string> {
  const request = requestFrame(
    apiVersionsApi,
    { version: 3, correlationId: 7 },
    { clientSoftwareName: 'loris', clientSoftwareVersion: '1' },
  );
  const connections = await openAll(broker.bootstrap, LORIS_CONNECTIONS);
  try {
    const memory = await whileMeasuring(pid, async () => {
      for (const byte of request) {
        for (const connection of connections) connection.send(Buffer.of(byte));
        await sleep(LORIS_PAUSE_MS);
      }
      for (const connection of connections) {
        const frame = await connection.next();
        if (frame === undefined) throw new Error('a slow request was not answered');
        const { correlationId, body } = decodeResponse(apiVersionsApi, 3, frame);
        if (correlationId !== 7 || body.errorCode !== ErrorCode.NONE) {
          throw new Error(`a slow request was answered with ${JSON.stringify(body)}`);
        }
      }
    });
    return assertGrowth(memory, MAX_LORIS_GROWTH_BYTES);
  } finally {
    for (const connection of connections) connection.destroy();
  }
}

async function checkClaims({ broker, pid, lines }: HostileScene): Promise<string> {
  const connections = await openAll(broker.bootstrap, CLAIMING_CONNECTIONS);
  const memory = await whileMeasuring(pid, async () => {
    for (const connection of connections) {
      connection.send(int32(CLAIMED_BYTES));
      connection.send(Buffer.alloc(FIRST_BYTES, 1));
    }
    const startedMs = performance.now();
    while (performance.now() - startedMs < CLAIMING_MS) {
      for (const connection of connections) connection.send(Buffer.of(1));
      await sleep(CLAIMING_PAUSE_MS);
    }
  }).finally(() => {
    for (const connection of connections) connection.destroy();
  });
  // They are gone within a frame: that may be told, once each.
  const told = await lines.settle();
  if (told > CLAIMING_CONNECTIONS) throw new Error(`${told} log lines about them`);
  return assertGrowth(memory, MAX_CLAIMED_GROWTH_BYTES);
}

async function checkPipelining({ broker, pid }: HostileScene): Promise<string> {
  const connection = await RawConnection.open(broker.bootstrap);
  try {
    connection.socket.pause();
    const memory = await whileMeasuring(pid, async () => {
      for (let index = 0; index < PIPELINED_REQUESTS; index += 1) {
        connection.send(metadataRequest(index));
      }
      // As long as it takes that nothing moves any more.
      let unsent = Number.NaN;
      await waitUntil(
        'the broker to stop reading',
        () => {
          const before = unsent;
          unsent = connection.socket.writableLength;
          return unsent === before ? undefined : `${unsent} bytes unsent`;
        },
        { everyMs: 300 },
      );
    });
    const unsentKib = connection.socket.writableLength / 1024;
    if (unsentKib === 0) throw new Error('the broker read all requests while nobody read answers');
    connection.socket.resume();
    for (let index = 0; index < PIPELINED_REQUESTS; index += 1) {
      const frame = await connection.next();
      if (frame === undefined) throw new Error(`answer ${index} did not come`);
      const { correlationId, body } = decodeResponse(metadataApi, PIPELINED_VERSION, frame);
      if (correlationId !== index || body.topics.length !== ASKED_TOPICS) {
        throw new Error(`answer ${index} is one to request ${correlationId}`);
      }
    }
    const figure = assertGrowth(memory, MAX_PIPELINED_GROWTH_BYTES);
    return `${unsentKib.toFixed(0)} KiB of the requests were held back; ${figure}`;
  } finally {
    connection.destroy();
  }
}

function metadataRequest(correlationId: number): Buffer {
  return requestFrame(
    metadataApi,
    { version: PIPELINED_VERSION, correlationId },
    {
      topics: Array.from({ length: ASKED_TOPICS }, (_, index) => ({
        name: `no-such-topic-${index}-${'x'.repeat(200)}`,
        topicId: ZERO_UUID,
      })),
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    },
  );
}

async function openAll(bootstrap: string, count: number): Promise<readonly RawConnection[]> {
  return await Promise.all(Array.from({ length: count }, () => RawConnection.open(bootstrap)));
}
