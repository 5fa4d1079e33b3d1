import { expect, it } from 'vitest';
import { offsetsPartitionFor } from '../../src/group/offsets-partition.ts';

// "hello" has the Java hash 99162322, "polygenelubricants" the smallest integer, "Aa" and "BB" 2112.
it.each([
  ['', 50, 0],
  ['a', 50, 47],
  ['hello', 50, 22],
  ['Aa', 50, 12],
  ['BB', 50, 12],
  ['polygenelubricants', 50, 0],
  ['hello', 1, 0],
])('the group "%s" of %i partitions is in partition %i', (groupId, count, partition) => {
  expect(offsetsPartitionFor(groupId, count)).toBe(partition);
});

it('a group whose hash is below zero has a partition above it', () => {
  for (let i = 0; i < 1000; i += 1) {
    const partition = offsetsPartitionFor(`consumer-group-${i}`, 50);
    expect(partition).toBeGreaterThanOrEqual(0);
    expect(partition).toBeLessThan(50);
  }
});
