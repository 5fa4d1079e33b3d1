import { expect, test } from 'vitest';
import { chunkSetUp, contentOf, idOf } from './chunk-fixture.ts';

test('memory goes back when the last who holds the chunk lets go, and exactly once (S9)', () => {
  const { make, memory } = chunkSetUp();
  const id = idOf('a', 0);
  const chunk = make(id);
  chunk.retain().retain();
  expect(chunk.isShared).toBe(true);
  chunk.release();
  chunk.release();
  expect(chunk.isShared).toBe(false);
  expect(Uint8Array.from(chunk.bytes)).toEqual(contentOf(id));
  expect(memory.stats().grantedBytes).toBe(1_000);
  chunk.release();
  expect(memory.stats().grantedBytes).toBe(0);
});

test('a chunk is neither read, held nor released after its release (S15)', () => {
  const { make } = chunkSetUp();
  const chunk = make(idOf('a', 0));
  chunk.release();
  expect(() => chunk.bytes).toThrow('after its release');
  expect(() => chunk.retain()).toThrow('after its release');
  expect(() => chunk.release()).toThrow('released twice');
});
