/**
 * The partition of `__consumer_offsets` that holds a group: the absolute value of Java's hash of its
 * id, modulo the number of partitions (`offsets.topic.num.partitions`, 50 in Kafka).
 */
export function offsetsPartitionFor(groupId: string, partitionCount: number): number {
  let hash = 0;
  for (let i = 0; i < groupId.length; i += 1)
    hash = (Math.imul(hash, 31) + groupId.charCodeAt(i)) | 0;
  // The smallest 32-bit integer has no absolute value of 32 bits; Kafka takes 0 for it.
  const positive = hash === -2_147_483_648 ? 0 : Math.abs(hash);
  return positive % partitionCount;
}
