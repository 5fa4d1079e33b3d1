import { randomBelow } from '@logloft/clock';
import {
  type ApiVersionsRequest,
  apiVersionsApi,
  decodeResponse,
  ErrorCode,
  metadataApi,
} from '@logloft/protocol';
import { assertGrowth, whileMeasuring } from './broker-memory.ts';
import { bodyOf, frameOf, headerOf, int32, requestFrame } from './frames.ts';
import { attack, type HostileScene } from './hostile-scene.ts';
import { RawConnection } from './raw-connection.ts';

const MIB = 1024 * 1024;
const RANDOM_BLOBS = 200;
const MAX_BLOB_BYTES = 4096;
const MAX_GROWTH_BYTES = 64 * MIB;

/** Bytes that end a connection, with one log line and without an answer. */
interface Malformed {
  readonly name: string;
  readonly bytes: Buffer;
  /** Whether the client ends its side behind them. */
  readonly fin?: boolean;
}

const NO_SOFTWARE: ApiVersionsRequest = { clientSoftwareName: '', clientSoftwareVersion: '' };
const METADATA_FRAME = requestFrame(
  metadataApi,
  { version: 9, correlationId: 1 },
  {
    topics: null,
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  },
);
// Compact arrays count one more; this is 2^32 - 2 elements.
const HUGE_COMPACT_COUNT = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]);

const MALFORMED: readonly Malformed[] = [
  { name: 'a frame length of 2 GiB', bytes: int32(0x7fff_ffff) },
  { name: 'a frame length one above the limit', bytes: int32(32 * MIB + 1) },
  { name: 'a negative frame length', bytes: int32(-1) },
  { name: 'the most negative frame length', bytes: int32(-0x8000_0000) },
  { name: 'a frame length of zero', bytes: int32(0) },
  { name: 'a truncated frame, then FIN', bytes: METADATA_FRAME.subarray(0, -2), fin: true },
  { name: 'half a frame length, then FIN', bytes: METADATA_FRAME.subarray(0, 2), fin: true },
  { name: 'an unknown API key', bytes: frameOf(headerOf({ apiKey: 9999, version: 0 })) },
  { name: 'a negative API key', bytes: frameOf(headerOf({ apiKey: -1, version: 0 })) },
  { name: 'an API that is not served', bytes: frameOf(headerOf({ apiKey: 17, version: 1 })) },
  { name: 'a version that is not served', bytes: frameOf(headerOf({ apiKey: 3, version: 99 })) },
  { name: 'a negative version', bytes: frameOf(headerOf({ apiKey: 3, version: -1 })) },
  { name: 'a header of three bytes', bytes: frameOf(Buffer.from([0, 3, 0])) },
  {
    name: 'a client id longer than the frame',
    bytes: frameOf(headerOf({ apiKey: 3, version: 4 }).subarray(0, -3)),
  },
  { name: 'a request without a body', bytes: frameOf(headerOf({ apiKey: 3, version: 4 })) },
  {
    name: 'bytes behind the body',
    bytes: frameOf(bodyOf(METADATA_FRAME), Buffer.from('and more')),
  },
  {
    name: 'a TLS ClientHello',
    bytes: Buffer.concat([Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200, 0x5a)]),
  },
  { name: 'an HTTP request', bytes: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n') },
  {
    name: 'an array of 2^31 - 1 topics',
    bytes: frameOf(headerOf({ apiKey: 3, version: 4 }), int32(0x7fff_ffff), Buffer.from([1])),
  },
  {
    name: 'an array of -2 topics',
    bytes: frameOf(headerOf({ apiKey: 3, version: 4 }), int32(-2), Buffer.from([1])),
  },
  {
    name: 'a compact array of 2^32 - 2 topics',
    bytes: frameOf(
      headerOf({ apiKey: 3, version: 9 }),
      Buffer.from([0]),
      HUGE_COMPACT_COUNT,
      Buffer.from([1, 0, 0, 0]),
    ),
  },
  {
    name: '2^31 - 1 partitions in a produce request',
    bytes: frameOf(
      headerOf({ apiKey: 0, version: 7 }),
      Buffer.from('ffffffff000003e8', 'hex'),
      int32(1),
      Buffer.from('000161', 'hex'),
      int32(0x7fff_ffff),
    ),
  },
  {
    name: '2^32 - 2 tagged fields in a header',
    bytes: frameOf(headerOf({ apiKey: 3, version: 9 }), HUGE_COMPACT_COUNT, Buffer.alloc(64)),
  },
];

/** Bytes that are no requests: the connection is closed with one log line, and nothing else happens. */
export async function checkMalformedFrames(scene: HostileScene): Promise<void> {
  for (const one of MALFORMED) {
    await attack(scene, `${one.name}: closed with one log line`, async () => {
      const { broker, lines, pid } = scene;
      const memory = await whileMeasuring(pid, async () => {
        const connection = await sendAndClose(broker.bootstrap, one);
        if (connection.pendingFrames > 0) throw new Error('it was answered');
      });
      await lines.expectClosed(1);
      return assertGrowth(memory, MAX_GROWTH_BYTES);
    });
  }
  await checkRandomBytes(scene);
  await checkApiVersions(scene);
}

async function sendAndClose(
  bootstrap: string,
  { bytes, fin = false }: Pick<Malformed, 'bytes' | 'fin'>,
): Promise<RawConnection> {
  const connection = await RawConnection.open(bootstrap);
  connection.send(bytes);
  if (fin) connection.socket.end();
  await connection.closedByBroker();
  return connection;
}

async function checkRandomBytes(scene: HostileScene): Promise<void> {
  const { broker, lines, random } = scene;
  await attack(scene, `random bytes, ${RANDOM_BLOBS} times: closed with one log line`, async () => {
    for (let index = 0; index < RANDOM_BLOBS; index += 1) {
      const bytes = random.fill(Buffer.alloc(1 + randomBelow(random, MAX_BLOB_BYTES)));
      // Some say a length that could be: more bytes are waited for until there are none.
      await sendAndClose(broker.bootstrap, { bytes, fin: true });
      await lines.expectClosed(1);
    }
  });
}

async function checkApiVersions(scene: HostileScene): Promise<void> {
  await attack(
    scene,
    'ApiVersions 99: UNSUPPORTED_VERSION in version 0, and it may ask again',
    async () => {
      const connection = await RawConnection.open(scene.broker.bootstrap);
      try {
        // Tagged fields of the header, then a body that only the client understands.
        const rest = Buffer.from('00deadbeef', 'hex');
        connection.send(frameOf(headerOf({ apiKey: apiVersionsApi.key, version: 99 }), rest));
        const refused = decodeResponse(apiVersionsApi, 0, await frameFrom(connection)).body;
        const [only] = refused.apiKeys;
        if (refused.errorCode !== ErrorCode.UNSUPPORTED_VERSION || only?.apiKey !== 18) {
          throw new Error(JSON.stringify(refused));
        }
        const again = { version: 0, correlationId: 2 };
        connection.send(requestFrame(apiVersionsApi, again, NO_SOFTWARE));
        const { body } = decodeResponse(apiVersionsApi, 0, await frameFrom(connection));
        if (body.errorCode !== ErrorCode.NONE) throw new Error(JSON.stringify(body));
        return `versions ${only.minVersion} to ${only.maxVersion}, ${body.apiKeys.length} APIs`;
      } finally {
        connection.destroy();
      }
    },
  );
}

async function frameFrom(connection: RawConnection): Promise<Buffer> {
  const frame = await connection.next();
  if (frame === undefined) throw new Error('no answer came');
  return frame;
}
