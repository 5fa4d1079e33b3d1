import type { TopicIdPartition } from '@logloft/remote-storage';
import { uuidToBytes } from './uuid.ts';

const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** Kafka's murmur2, as a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = bytes;
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = Math.imul(view.getInt32(at, true), M);
    word ^= word >>> R;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  if (at < length) {
    for (let i = length - 1; i >= at; i -= 1) hash ^= (bytes[i] ?? 0) << (8 * (i - at));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/**
 * The partition of the metadata log that holds all events of `partition`, as Kafka's topic-based
 * implementation chooses it, so that either side finds what the other wrote.
 *
 * @param partitionCount partitions of the metadata log, >= 1
 */
export function metadataPartitionFor(partition: TopicIdPartition, partitionCount: number): number {
  const id = uuidToBytes(partition.topicId);
  const view = new DataView(id.buffer, id.byteOffset, id.byteLength);
  const high = view.getInt32(0) ^ view.getInt32(4);
  const low = view.getInt32(8) ^ view.getInt32(12);
  let hash = (31 + low) | 0;
  hash = (Math.imul(31, hash) + high) | 0;
  hash = (Math.imul(31, hash) + partition.partition) | 0;
  const key = new Uint8Array(4);
  new DataView(key.buffer).setInt32(0, hash);
  return (murmur2(key) & 0x7fffffff) % partitionCount;
}
