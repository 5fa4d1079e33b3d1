import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedBytesError } from '../../src/group/byte-reader.ts';
import { decodeGroupMetadata, encodeGroupMetadata } from '../../src/group/group-metadata-record.ts';
import {
  decodeOffsetRecordKey,
  decodeOffsetValue,
  encodeGroupKey,
  encodeOffsetKey,
  encodeOffsetValue,
} from '../../src/group/offset-records.ts';

function hex(...parts: readonly string[]): Buffer {
  return Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
}

const OFFSET = {
  offset: 42,
  leaderEpoch: 7,
  metadata: 'm\0é',
  commitTimestampMs: 1_700_000_000_000,
  expireTimestampMs: -1,
};
const METADATA_HEX = '0004 6d00c3a9';
const TIMESTAMP_HEX = '0000018bcfe56800';

describe('keys of __consumer_offsets', () => {
  it('of an offset are OffsetCommitKey version 1', () => {
    const bytes = hex('0001', '0002 6772', '0003 746f70', '00000003');
    expect(encodeOffsetKey('gr', 'top', 3)).toEqual(bytes);
    const key = { kind: 'offset', groupId: 'gr', topic: 'top', partition: 3 };
    expect(decodeOffsetRecordKey(bytes)).toEqual(key);
    expect(decodeOffsetRecordKey(hex('0000', bytes.toString('hex').slice(4)))).toEqual(key);
  });

  it('of a group are GroupMetadataKey version 2', () => {
    const bytes = hex('0002', '0002 6772');
    expect(encodeGroupKey('gr')).toEqual(bytes);
    expect(decodeOffsetRecordKey(bytes)).toEqual({ kind: 'group', groupId: 'gr' });
  });

  it('of other kinds of groups are passed over', () => {
    expect(decodeOffsetRecordKey(hex('0003', '0002 6772'))).toBeUndefined();
  });

  it('that are no keys are refused', () => {
    for (const bytes of ['', '00', '0001', '0001 0005 67', '0002 ffff', 'ffff 0000']) {
      expect(() => decodeOffsetRecordKey(hex(bytes))).toThrow(MalformedBytesError);
    }
  });
});

describe('values of offsets', () => {
  it('are written in version 3', () => {
    const bytes = hex('0003', '000000000000002a', '00000007', METADATA_HEX, TIMESTAMP_HEX);
    expect(encodeOffsetValue(OFFSET)).toEqual(bytes);
    expect(decodeOffsetValue(bytes)).toEqual(OFFSET);
  });

  it('that expire by themselves are written in version 1', () => {
    const value = { ...OFFSET, leaderEpoch: -1, expireTimestampMs: 1_700_000_000_001 };
    const bytes = hex('0001', '000000000000002a', METADATA_HEX, TIMESTAMP_HEX, '0000018bcfe56801');
    expect(encodeOffsetValue(value)).toEqual(bytes);
    expect(decodeOffsetValue(bytes)).toEqual(value);
  });

  it.each(['0000', '0002'])('of version %s are read', (version) => {
    const bytes = hex(version, '000000000000002a', METADATA_HEX, TIMESTAMP_HEX);
    expect(decodeOffsetValue(bytes)).toEqual({ ...OFFSET, leaderEpoch: -1 });
  });

  it('of version 4 are read, with a topic id behind them', () => {
    const topicId = '01 00 10 00112233445566778899aabbccddeeff';
    const bytes = hex(
      '0004',
      '000000000000002a',
      '00000007',
      '05 6d00c3a9',
      TIMESTAMP_HEX,
      topicId,
    );
    expect(decodeOffsetValue(bytes)).toEqual(OFFSET);
  });

  it('below zero and at the ends of what is safe survive', () => {
    const numbers = fc.constantFrom(
      -1,
      0,
      2 ** 31,
      2 ** 32,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    );
    fc.assert(
      fc.property(numbers, fc.string({ unit: 'grapheme' }), (offset, metadata) => {
        const value = { ...OFFSET, offset, metadata };
        expect(decodeOffsetValue(encodeOffsetValue(value))).toEqual(value);
      }),
    );
  });

  it.each([
    ['an unknown version', '0005 00'],
    ['a version below zero', 'ffff 00'],
    ['an offset of 64 bits', `0003 7fffffffffffffff 00000000 0000 ${TIMESTAMP_HEX}`],
    ['a length beyond the end', '0003 0000000000000001 00000000 7fff 6d'],
    ['no metadata', `0003 0000000000000001 00000000 ffff ${TIMESTAMP_HEX}`],
  ])('with %s are refused', (_, bytes) => {
    expect(() => decodeOffsetValue(hex(bytes))).toThrow(MalformedBytesError);
  });
});

const GROUP = {
  protocolType: 'consumer',
  generationId: 5,
  protocolName: 'range',
  leaderId: 'm1',
  stateSinceMs: 1_700_000_000_000,
  members: [
    {
      memberId: 'm1',
      groupInstanceId: 'i1',
      clientId: 'c1',
      clientHost: '/h',
      rebalanceTimeoutMs: 300_000,
      sessionTimeoutMs: 45_000,
      subscription: Buffer.from([1, 2]),
      assignment: Buffer.from([3]),
    },
  ],
};
const HEAD = '0008 636f6e73756d6572 00000005 0005 72616e6765 0002 6d31';
const SESSION = '0000afc8';
const TAIL = '00000002 0102 00000001 03';

describe('values of groups', () => {
  it('are written in version 3', () => {
    const member = `0002 6d31 0002 6931 0002 6331 0002 2f68 000493e0 ${SESSION} ${TAIL}`;
    const bytes = hex('0003', HEAD, TIMESTAMP_HEX, '00000001', member);
    expect(encodeGroupMetadata(GROUP)).toEqual(bytes);
    expect(decodeGroupMetadata(bytes)).toEqual(GROUP);
  });

  it('of an empty group have no protocol, no leader and no members', () => {
    const empty = { ...GROUP, protocolName: null, leaderId: null, members: [] };
    const bytes = hex(
      '0003',
      '0008 636f6e73756d6572',
      '00000005',
      'ffff',
      'ffff',
      TIMESTAMP_HEX,
      '00000000',
    );
    expect(encodeGroupMetadata(empty)).toEqual(bytes);
    expect(decodeGroupMetadata(bytes)).toEqual(empty);
  });

  it('of versions 0 to 2 are read', () => {
    const names = '0002 6d31 0002 6331 0002 2f68';
    const [member] = GROUP.members;
    const old = { ...GROUP, stateSinceMs: -1, members: [{ ...member, groupInstanceId: null }] };
    const v0 = hex('0000', HEAD, '00000001', names, SESSION, TAIL);
    expect(decodeGroupMetadata(v0)).toEqual({
      ...old,
      members: [{ ...member, groupInstanceId: null, rebalanceTimeoutMs: 45_000 }],
    });
    const v1 = hex('0001', HEAD, '00000001', names, '000493e0', SESSION, TAIL);
    expect(decodeGroupMetadata(v1)).toEqual(old);
    const v2 = hex('0002', HEAD, TIMESTAMP_HEX, '00000001', names, '000493e0', SESSION, TAIL);
    expect(decodeGroupMetadata(v2)).toEqual({ ...old, stateSinceMs: GROUP.stateSinceMs });
  });

  it('of version 4, which is flexible, are read', () => {
    const member = `03 6d31 03 6931 03 6331 03 2f68 000493e0 ${SESSION} 03 0102 02 03 00`;
    const bytes = hex(
      '0004',
      '09 636f6e73756d6572',
      '00000005',
      '06 72616e6765',
      '03 6d31',
      TIMESTAMP_HEX,
      '02',
      member,
      '00',
    );
    expect(decodeGroupMetadata(bytes)).toEqual(GROUP);
  });

  it.each([
    ['an unknown version', '0005'],
    ['more members than there are bytes', `0003 ${HEAD} ${TIMESTAMP_HEX} 7fffffff`],
    ['a number of members below zero', `0003 ${HEAD} ${TIMESTAMP_HEX} ffffffff`],
    ['an endless varint', '0004 ffffffffffff'],
  ])('with %s are refused', (_, bytes) => {
    expect(() => decodeGroupMetadata(hex(bytes))).toThrow(MalformedBytesError);
  });

  it('cut or changed anywhere are read or refused, and nothing else', () => {
    const whole = encodeGroupMetadata(GROUP);
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.nat(255),
        fc.nat(whole.length),
        (at, byte, length) => {
          const bytes = Buffer.from(whole);
          bytes[at] = byte;
          try {
            decodeGroupMetadata(bytes.subarray(0, length));
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedBytesError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('of a name that is too long for its length are not written', () => {
    expect(() => encodeGroupMetadata({ ...GROUP, leaderId: 'x'.repeat(32_768) })).toThrow(
      RangeError,
    );
    expect(encodeGroupKey('x'.repeat(32_767))).toHaveLength(32_771);
  });
});
