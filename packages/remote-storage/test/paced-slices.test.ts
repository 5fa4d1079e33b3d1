import { expect, test } from 'vitest';
import { memorySource, type Pacer, sourceSlices } from '../src/index.ts';

async function sizesUnder(pacer: Pacer | undefined, size: number): Promise<number[]> {
  const sizes: number[] = [];
  for await (const slice of sourceSlices(memorySource(new Uint8Array(size)), { pacer })) {
    sizes.push(slice.byteLength);
  }
  return sizes;
}

test('without a pacer pieces go through whole; with one in slices of at most 64 KiB', async () => {
  const asked: number[] = [];
  const pacer: Pacer = {
    take: (bytes) => {
      asked.push(bytes);
      return Promise.resolve();
    },
  };
  expect(await sizesUnder(undefined, 200_000)).toEqual([200_000]);
  const sizes = await sizesUnder(pacer, 200_000);
  expect(sizes).toEqual([65_536, 65_536, 65_536, 3392]);
  expect(asked).toEqual(sizes);
});

test('a pacer whose rate is low gets the small slices that keep the flow even, as the rate changes', async () => {
  let rate = 1000;
  let taken = 0;
  const pacer: Pacer = {
    get sliceBytes() {
      return rate;
    },
    take: (bytes) => {
      taken += bytes;
      if (taken >= 3000) rate = 250;
      return Promise.resolve();
    },
  };
  expect(await sizesUnder(pacer, 3600)).toEqual([1000, 1000, 1000, 250, 250, 100]);
});
