import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ByteReader,
  decodeRequest,
  decodeRequestHeader,
  decodeResponse,
  fetchApi,
  MalformedMessageError,
  metadataApi,
  produceApi,
} from '../src/index.ts';
import type { MessageCodec } from '../src/schema/message-codec.ts';
import { arbitraryStruct } from './arbitrary-message.ts';
import { decodeBody, encodeBody, everyCodec, versionsOf } from './every-message.ts';
import { recordedFrames } from './recorded-frames.ts';

const named = everyCodec().map((codec) => [codec.name, codec] as const);

/** Decodes, and lets no other failure pass than the one that decoders promise. */
function outcome(
  codec: MessageCodec<object>,
  version: number,
  bytes: Buffer,
): 'decoded' | 'refused' {
  try {
    decodeBody(codec, version, bytes);
    return 'decoded';
  } catch (error) {
    if (error instanceof MalformedMessageError) return 'refused';
    throw error;
  }
}

function samples(codec: MessageCodec<object>, version: number, count: number): Buffer[] {
  const flexible = version >= codec.flexibleFrom;
  const arbitrary = arbitraryStruct(codec.struct, { version, flexible });
  return fc
    .sample(arbitrary, { numRuns: count, seed: 1000 + version })
    .map((message) => encodeBody(codec, version, message));
}

describe('bytes that are not what they should be', () => {
  test.each(named)('%s cut off at any byte is malformed', (_name, codec) => {
    for (const { version } of versionsOf(codec)) {
      for (const bytes of samples(codec, version, 2)) {
        const step = Math.max(1, Math.floor(bytes.length / 300));
        for (let length = 0; length < bytes.length; length += step) {
          expect(outcome(codec, version, bytes.subarray(0, length)), `${length} bytes`).toBe(
            'refused',
          );
        }
      }
    }
  });

  test.each(named)('%s with any bytes changed decodes or is malformed', (_name, codec) => {
    for (const { version } of versionsOf(codec)) {
      for (const bytes of samples(codec, version, 3)) {
        fc.assert(
          fc.property(
            fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
              minLength: 1,
              maxLength: 4,
            }),
            (changes) => {
              const changed = Buffer.from(bytes);
              for (const [at, value] of changes) changed[at % Math.max(1, changed.length)] = value;
              outcome(codec, version, changed);
            },
          ),
          { numRuns: 15 },
        );
      }
    }
  });

  test('frames of nothing but chance decode or are malformed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (bytes, pick) => {
        const codecs = everyCodec();
        const codec = codecs[pick % codecs.length];
        if (codec === undefined) return;
        for (const { version } of versionsOf(codec)) outcome(codec, version, Buffer.from(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test('a header cut off at any byte is malformed', () => {
    for (const frame of recordedFrames().slice(0, 40)) {
      const bytes = Buffer.from(frame.requestHex, 'hex');
      const { bodyOffset } = decodeRequestHeader(bytes);
      for (let length = 0; length < bodyOffset; length++) {
        expect(() => decodeRequestHeader(bytes.subarray(0, length))).toThrow(MalformedMessageError);
      }
    }
  });

  test('the error says where in the message it happened, and at which byte', () => {
    const frame = recordedFrames().find(({ api, version }) => api === 'Produce' && version === 11);
    const bytes = Buffer.from(frame?.requestHex ?? '', 'hex');
    const { bodyOffset } = decodeRequestHeader(bytes);
    const cut = bytes.subarray(0, bytes.length - 20);
    expect(() => decodeRequest(produceApi, 11, cut, bodyOffset)).toThrow(
      expect.objectContaining({
        code: 'LOGLOFT_PROTOCOL_MALFORMED',
        path: 'ProduceRequest v11.topicData[0].partitionData[0].records',
        message: expect.stringMatching(/records: \d+ bytes were expected, \d+ are left/),
      }),
    );
  });

  test('bytes left over behind a message are malformed', () => {
    const body = encodeBody(metadataApi.request, 1, {
      topics: null,
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    const longer = Buffer.concat([body, Buffer.from([0])]);
    expect(() => decodeRequest(metadataApi, 1, longer, 0)).toThrow(/1 bytes are left over/);
    const response = Buffer.concat([Buffer.alloc(4), Buffer.alloc(12), Buffer.from([7])]);
    expect(() => decodeResponse(metadataApi, 1, response)).toThrow(MalformedMessageError);
  });
});

describe('lengths that lie', () => {
  const lies = [
    ['an array of 2^31 - 1 topics', metadataApi.request, 1, '7fffffff'],
    ['an array of -2 topics', metadataApi.request, 1, 'fffffffe'],
    ['a compact array of 2^32 - 2 topics', metadataApi.request, 12, 'ffffffff0f'],
    ['null where version 0 has no null', metadataApi.request, 0, 'ffffffff'],
    ['a varint of more than 32 bits', metadataApi.request, 12, 'ffffffff1f'],
    ['a varint without an end', metadataApi.request, 12, 'ffffffffffffffff'],
    [
      'records of 2^31 - 1 bytes',
      produceApi.request,
      0,
      '0001000000640000000100017400000001000000007fffffff',
    ],
    [
      'records of -2 bytes',
      produceApi.request,
      0,
      '000100000064000000010001740000000100000000fffffffe',
    ],
    ['a string of -2 bytes', produceApi.request, 3, 'fffe'],
    ['a string of 32,767 bytes', produceApi.request, 3, '7fff41'],
  ] as const;

  test.each(lies)('%s is malformed before memory is taken', (_what, codec, version, hex) => {
    const before = process.memoryUsage();
    expect(outcome(codec as MessageCodec<object>, version, Buffer.from(hex, 'hex'))).toBe(
      'refused',
    );
    const after = process.memoryUsage();
    const grown = after.heapTotal + after.arrayBuffers - before.heapTotal - before.arrayBuffers;
    expect(grown).toBeLessThan(64 * 1024 * 1024);
  });

  test('an array is refused when its elements cannot fit, however few bytes one takes', () => {
    // 40 bytes hold at most 20 topics of 2 bytes; 21 are announced.
    const bytes = Buffer.alloc(44);
    bytes.writeInt32BE(21, 0);
    expect(outcome(metadataApi.request, 1, bytes)).toBe('refused');
    bytes.writeInt32BE(20, 0);
    expect(outcome(metadataApi.request, 1, bytes)).toBe('decoded');
  });

  test('a message of too many elements is refused, since they take more memory than bytes', () => {
    const bytes = Buffer.alloc(4 + 2 * 1001);
    bytes.writeInt32BE(1001, 0);
    const bounded = new ByteReader(bytes, { maxElements: 1000 });
    expect(() => metadataApi.request.decode(bounded, 1)).toThrow(/at most 1000 array elements/);
    bounded.reset(bytes);
    bytes.writeInt32BE(1000, 0);
    expect(metadataApi.request.decode(bounded, 1).topics).toHaveLength(1000);
  });

  test('the default bound on elements holds for a frame as large as a broker takes', () => {
    const count = 4 * 1024 * 1024;
    const bytes = Buffer.alloc(4 + 2 * count);
    bytes.writeInt32BE(count, 0);
    expect(outcome(metadataApi.request, 1, bytes)).toBe('refused');
  });

  test('a tagged field is read within its size and must fill it', () => {
    // FetchRequest v12 body: 25 fixed bytes, two empty arrays, an empty rack, then the tags.
    const fixed = Buffer.from(
      'ffffffff'.repeat(3) + '7fffffff00'.padEnd(10, '0') + '00'.repeat(8),
      'hex',
    );
    const front = Buffer.concat([fixed, Buffer.from('010101', 'hex')]);
    const decode = (tags: string) =>
      outcome(fetchApi.request, 12, Buffer.concat([front, Buffer.from(tags, 'hex')]));
    expect(decode('00')).toBe('decoded');
    expect(decode('0100020263')).toBe('decoded'); // clusterId "c": 2 bytes
    expect(decode('010003026363')).toBe('refused'); // a byte is left over inside
    expect(decode('0100010263')).toBe('refused'); // the string leaves its field
    expect(decode('01007f0263')).toBe('refused'); // the field leaves the frame
    expect(decode('0201000000')).toBe('refused'); // tag 0 behind tag 1
    expect(decode('020002026300020263')).toBe('refused'); // tag 0 twice
  });
});
