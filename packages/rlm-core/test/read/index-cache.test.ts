import { RemoteResourceNotFoundError } from '@logloft/remote-storage';
import { describe, expect, it } from 'vitest';
import { IndexCache } from '../../src/read/index-cache.ts';
import { segment } from '../support/segments.ts';

const A = segment('A', 0, 99);
const B = segment('B', 100, 199);
const entry = Buffer.from('0000000900001000', 'hex');

function cacheWith(maxBytes: number, answers: readonly (Uint8Array | Error)[] = []) {
  const left = [...answers];
  let fetches = 0;
  const gate = Promise.withResolvers<void>();
  const cache = new IndexCache({
    maxBytes,
    fetch: async () => {
      fetches += 1;
      await gate.promise;
      const answer = left.shift() ?? entry;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { cache, open: gate.resolve, count: () => fetches };
}

describe('the index cache', () => {
  it('fetches once for many who ask at once, and never again', async () => {
    const { cache, open, count } = cacheWith(1000);
    const asked = Array.from({ length: 100 }, () => cache.get(A, 'OFFSET'));
    open();
    for (const got of await Promise.all(asked)) expect(got).toBe(entry);
    await cache.get(A, 'OFFSET');
    expect(count()).toBe(1);
    expect(cache.statistics).toMatchObject({ hits: 1, misses: 100, entries: 1 });
  });

  it('goes on fetching when the one who asked gives up, so that the next time is a hit', async () => {
    const { cache, open, count } = cacheWith(1000);
    const controller = new AbortController();
    const asked = cache.get(A, 'OFFSET', controller.signal);
    controller.abort(new Error('too slow'));
    await expect(asked).rejects.toThrow('too slow');
    open();
    await cache.get(A, 'OFFSET');
    expect(count()).toBe(1);
  });

  it('keeps within its bytes, dropping what was not used for longest', async () => {
    const { cache, open, count } = cacheWith(2 * (256 + entry.length));
    open();
    await cache.get(A, 'OFFSET');
    await cache.get(B, 'OFFSET');
    await cache.get(A, 'OFFSET');
    await cache.get(segment('C', 200, 299), 'OFFSET');
    expect(cache.statistics.entries).toBe(2);
    await cache.get(A, 'OFFSET');
    expect(count()).toBe(3);
    await cache.get(B, 'OFFSET');
    expect(count()).toBe(4);
    cache.resize(0);
    expect(cache.statistics).toMatchObject({ entries: 0, bytes: 0 });
  });

  it('serves what is larger than all of it, and does not keep it', async () => {
    const { cache, open, count } = cacheWith(10);
    open();
    expect(await cache.get(A, 'OFFSET')).toBe(entry);
    await cache.get(A, 'OFFSET');
    expect(count()).toBe(2);
    expect(cache.statistics.bytes).toBe(0);
  });

  it('fetches a damaged index once more, then gives up, and does not keep it', async () => {
    const damaged = entry.subarray(1);
    const once = cacheWith(1000, [damaged, entry]);
    once.open();
    expect(await once.cache.get(A, 'OFFSET')).toBe(entry);
    const twice = cacheWith(1000, [damaged, damaged, entry]);
    twice.open();
    await expect(twice.cache.get(A, 'OFFSET')).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_CORRUPT_INDEX',
    });
    expect(await twice.cache.get(A, 'OFFSET')).toBe(entry);
    expect(twice.count()).toBe(3);
  });

  it('knows a transaction index that is not there as empty, and any other as an error', async () => {
    const missing = new RemoteResourceNotFoundError('none');
    const { cache, open, count } = cacheWith(1000, [missing, missing]);
    open();
    expect(await cache.get(A, 'TRANSACTION')).toHaveLength(0);
    await cache.get(A, 'TRANSACTION');
    expect(count()).toBe(1);
    await expect(cache.get(A, 'OFFSET')).rejects.toBe(missing);
    expect(await cache.get(A, 'OFFSET')).toBe(entry);
  });

  it('forgets the indexes of a segment that is deleted', async () => {
    const { cache, open } = cacheWith(1000);
    open();
    await cache.get(A, 'OFFSET');
    cache.forget([A, B]);
    expect(cache.statistics).toMatchObject({ entries: 0, bytes: 0 });
  });
});
