import { describe, expect, test } from 'vitest';
import {
  consumerProtocolAssignment,
  consumerProtocolSubscription,
  decodeRequest,
  decodeRequestHeader,
  joinGroupApi,
  MalformedMessageError,
  syncGroupApi,
} from '../../src/index.ts';
import { type RecordedFrame, recordedFrames } from '../recorded-frames.ts';

function bodyOf(frame: RecordedFrame): { bytes: Buffer; bodyOffset: number } {
  const bytes = Buffer.from(frame.requestHex, 'hex');
  return { bytes, bodyOffset: decodeRequestHeader(bytes).bodyOffset };
}

const joins = recordedFrames()
  .filter((frame) => frame.api === 'JoinGroup')
  .flatMap((frame) => {
    const { bytes, bodyOffset } = bodyOf(frame);
    return decodeRequest(joinGroupApi, frame.version, bytes, bodyOffset).protocols;
  });
const syncs = recordedFrames()
  .filter((frame) => frame.api === 'SyncGroup')
  .flatMap((frame) => {
    const { bytes, bodyOffset } = bodyOf(frame);
    return decodeRequest(syncGroupApi, frame.version, bytes, bodyOffset).assignments;
  });

describe('the consumer protocol inside of group messages', () => {
  test('the subscriptions of real clients decode, and encode to the same bytes', () => {
    expect(joins.length).toBeGreaterThan(10);
    for (const { metadata } of joins) {
      const subscription = consumerProtocolSubscription.decode(metadata);
      expect(subscription.topics.length).toBeGreaterThan(0);
      const again = consumerProtocolSubscription.encode(metadata.readInt16BE(0), subscription);
      expect(again.equals(metadata)).toBe(true);
    }
  });

  test('the assignments of real clients decode', () => {
    expect(syncs.length).toBeGreaterThan(5);
    for (const { assignment } of syncs) {
      const { assignedPartitions } = consumerProtocolAssignment.decode(assignment);
      for (const { topic, partitions } of assignedPartitions) {
        expect(topic).not.toBe('');
        expect(partitions.every((partition) => partition >= 0)).toBe(true);
      }
    }
  });

  test('a newer version is read as the newest known one, whatever stands behind', () => {
    const known = consumerProtocolAssignment.encode(3, { assignedPartitions: [], userData: null });
    const newer = Buffer.concat([known, Buffer.from('abcdef', 'hex')]);
    newer.writeInt16BE(9, 0);
    expect(consumerProtocolAssignment.decode(newer)).toEqual({
      assignedPartitions: [],
      userData: null,
    });
  });

  test('what is cut off, or of a negative version, is malformed', () => {
    expect(() => consumerProtocolAssignment.decode(Buffer.alloc(1))).toThrow(MalformedMessageError);
    expect(() => consumerProtocolAssignment.decode(Buffer.alloc(10, 0xff))).toThrow(
      MalformedMessageError,
    );
  });
});
