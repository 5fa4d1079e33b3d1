import { seededRandom } from '@logloft/clock';
import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRemoteLogError } from '../../src/errors.ts';
import type { RemoteLogMetadataEvent } from '../../src/metadata/metadata-event.ts';
import { decodeMetadataEvent, encodeMetadataEvent } from '../../src/metadata/serde.ts';
import { randomUuid } from '../../src/metadata/uuid.ts';
import { orders3 } from '../support/segments.ts';

const hex = (text: string): string => text.replaceAll(/\s/g, '');
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(hex(text), 'hex'));

const started: RemoteLogSegmentMetadata = {
  remoteLogSegmentId: { topicIdPartition: orders3, id: 'ERITFBUWFxgZGhscHR4fIA' },
  startOffset: 100,
  endOffset: 199,
  maxTimestampMs: 1_700_000_000_005,
  brokerId: 1,
  eventTimestampMs: 1_700_000_001_000,
  segmentSizeInBytes: 1_048_576,
  customMetadata: undefined,
  state: 'COPY_SEGMENT_STARTED',
  segmentLeaderEpochs: [
    { epoch: 0, startOffset: 100 },
    { epoch: 2, startOffset: 150 },
  ],
  txnIdxEmpty: false,
};

// Produced by the serde of Apache Kafka 4.0.
const vectors: readonly [string, RemoteLogMetadataEvent, string][] = [
  [
    'a started segment',
    { type: 'segment', metadata: started },
    `01 00 00 07 6f7264657273 0123456789abcdef0123456789abcdef 00000003 00
     1112131415161718191a1b1c1d1e1f20 00 0000000000000064 00000000000000c7 00000001
     0000018bcfe56805 0000018bcfe56be8 03 00000000 0000000000000064 00 00000002 0000000000000096 00
     00100000 00 00 00`,
  ],
  [
    'a started segment whose transaction index is empty',
    { type: 'segment', metadata: { ...started, txnIdxEmpty: true } },
    `01 00 00 07 6f7264657273 0123456789abcdef0123456789abcdef 00000003 00
     1112131415161718191a1b1c1d1e1f20 00 0000000000000064 00000000000000c7 00000001
     0000018bcfe56805 0000018bcfe56be8 03 00000000 0000000000000064 00 00000002 0000000000000096 00
     00100000 00 00 01 00 01 01`,
  ],
  [
    'an update with custom metadata',
    {
      type: 'segment-update',
      update: {
        remoteLogSegmentId: started.remoteLogSegmentId,
        brokerId: 1,
        eventTimestampMs: 1_700_000_002_000,
        customMetadata: Uint8Array.of(1, 2, 3),
        state: 'COPY_SEGMENT_FINISHED',
      },
    },
    `01 01 00 07 6f7264657273 0123456789abcdef0123456789abcdef 00000003 00
     1112131415161718191a1b1c1d1e1f20 00 00000001 0000018bcfe56fd0 04 010203 01 00`,
  ],
  [
    'a partition marked for deletion',
    {
      type: 'partition-delete',
      deletion: {
        topicIdPartition: orders3,
        brokerId: 1,
        eventTimestampMs: 1_700_000_003_000,
        state: 'DELETE_PARTITION_MARKED',
      },
    },
    `01 02 00 07 6f7264657273 0123456789abcdef0123456789abcdef 00000003 00
     00000001 0000018bcfe573b8 00 00`,
  ],
];

const malformed = (bytes: Uint8Array): void => {
  let caught: unknown;
  try {
    decodeMetadataEvent(bytes);
  } catch (error) {
    caught = error;
  }
  expect(isRemoteLogError(caught, 'LOGLOFT_RLM_MALFORMED_METADATA')).toBe(true);
};

describe('the record schemas of __remote_log_metadata', () => {
  it.each(vectors)('encode %s byte for byte as Kafka does', (_name, event, expected) => {
    expect(Buffer.from(encodeMetadataEvent(event)).toString('hex')).toBe(hex(expected));
  });

  it.each(vectors)('decode %s', (_name, event, encoded) => {
    expect(decodeMetadataEvent(bytesOf(encoded))).toEqual(event);
  });

  it('skip tagged fields that they do not know', () => {
    const bytes = `${hex(vectors[3]?.[2] ?? '').slice(0, -2)}01050411223344`;
    expect(decodeMetadataEvent(bytesOf(bytes))).toEqual(vectors[3]?.[1]);
  });

  it('bring back every event that was encoded', () => {
    const random = seededRandom(7);
    const offset = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 10_000 });
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        offset,
        fc.nat(9_999),
        fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined }),
        fc.boolean(),
        fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
        (topic, startOffset, span, customMetadata, txnIdxEmpty, maxTimestampMs) => {
          const topicIdPartition = { topic, topicId: randomUuid(random), partition: span };
          const metadata: RemoteLogSegmentMetadata = {
            ...started,
            remoteLogSegmentId: { topicIdPartition, id: randomUuid(random) },
            startOffset,
            endOffset: startOffset + span,
            customMetadata,
            txnIdxEmpty,
            maxTimestampMs,
          };
          const event: RemoteLogMetadataEvent = { type: 'segment', metadata };
          expect(decodeMetadataEvent(encodeMetadataEvent(event))).toEqual(event);
        },
      ),
      { seed: 1 },
    );
  });
});

describe('hostile metadata records', () => {
  it.each(vectors)('%s: every truncation is a typed error', (_name, _event, encoded) => {
    const bytes = bytesOf(encoded);
    for (let length = 0; length < bytes.length; length += 1) malformed(bytes.subarray(0, length));
  });

  it('an array length beyond the record is refused before memory is taken', () => {
    const head = `01 00 00 07 6f7264657273 0123456789abcdef0123456789abcdef 00000003 00
      1112131415161718191a1b1c1d1e1f20 00 0000000000000064 00000000000000c7 00000001
      0000018bcfe56805 0000018bcfe56be8`;
    malformed(bytesOf(`${head} ffffffff0f`));
    malformed(bytesOf(`${head} 00`));
    malformed(bytesOf(`${head} 01`));
  });

  it('a frame, key, version, state or order of offsets that is not known is refused', () => {
    const good = hex(vectors[0]?.[2] ?? '');
    malformed(bytesOf(`02${good.slice(2)}`));
    malformed(bytesOf(`0103${good.slice(4)}`));
    malformed(bytesOf(`010001${good.slice(6)}`));
    malformed(bytesOf(`${good.slice(0, -4)}0400`));
    malformed(bytesOf(`${good}00`));
    malformed(bytesOf(good.replace('0000000000000064', '00000000000000c8')));
    malformed(bytesOf(good.replace('0000000000000064', 'ffffffffffffffff')));
    malformed(bytesOf(good.replace('0000000000000064', '7fffffffffffffff')));
  });

  it('random bytes are an event or a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(2), (noise, key) => {
        const bytes = Uint8Array.of(1, key, 0, ...noise);
        try {
          decodeMetadataEvent(bytes);
        } catch (error) {
          expect(isRemoteLogError(error, 'LOGLOFT_RLM_MALFORMED_METADATA')).toBe(true);
        }
      }),
      { seed: 2 },
    );
  });
});
