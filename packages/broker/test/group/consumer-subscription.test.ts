import { describe, expect, it } from 'vitest';
import { subscribedTopicsOf } from '../../src/group/consumer-subscription.ts';

/** Metadata that real clients sent, one a version. */
const SENT = {
  'platformatic, version 1': '0001000000010003706c74ffffffff00000000',
  'the Java client, version 3': '00030000000100046a617661ffffffff00000000ffffffffffff',
} as const;

describe('the topics of a subscription', () => {
  it.each([
    ['platformatic, version 1', ['plt']],
    ['the Java client, version 3', ['java']],
  ] as const)('are read as sent by %s', (client, topics) => {
    expect(subscribedTopicsOf(Buffer.from(SENT[client], 'hex'))).toEqual(topics);
  });

  it('are read from versions to come, whatever follows them', () => {
    const bytes = Buffer.from('7fff 00000002 0001 61 0001 62 ffeeddcc'.replaceAll(' ', ''), 'hex');
    expect(subscribedTopicsOf(bytes)).toEqual(['a', 'b']);
  });

  it.each([
    '',
    '00',
    '0001',
    '00010000000100',
    '00017fffffff',
    '0001ffffffff',
    'ffff00000000',
    '000100000001ffff',
  ])('are unknown in the bytes "%s"', (bytes) => {
    expect(subscribedTopicsOf(Buffer.from(bytes, 'hex'))).toBeUndefined();
  });
});
