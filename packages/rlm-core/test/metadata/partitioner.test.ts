import { describe, expect, it } from 'vitest';
import { metadataPartitionFor, murmur2 } from '../../src/metadata/partitioner.ts';
import { bytesToUuid } from '../../src/metadata/uuid.ts';

describe('murmur2', () => {
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
  ])('hashes %s as Kafka does', (text, expected) => {
    expect(murmur2(Buffer.from(text))).toBe(expected);
  });
});

describe('the partition of the metadata log', () => {
  it.each([
    [0, 11],
    [1, 2],
    [2, 38],
    [7, 26],
  ])('of partition %i is %i of 50', (partition, expected) => {
    const topicId = 'ASNFZ4mrze8BI0VniavN7w';
    expect(metadataPartitionFor({ topicId, topic: 'any', partition }, 50)).toBe(expected);
  });

  it('tells the halves of the topic id apart', () => {
    const bytes = new Uint8Array(16);
    bytes[7] = 1;
    bytes[15] = 2;
    const topicId = bytesToUuid(bytes);
    expect(metadataPartitionFor({ topicId, topic: 'any', partition: 0 }, 50)).toBe(30);
  });
});
