import { describe, expect, it } from 'vitest';
import { SlotPool } from '../../src/scheduling/slot-pool.ts';

describe('a pool of slots', () => {
  it('hands out as many as there are, the smallest numbers first', async () => {
    const pool = new SlotPool({ size: 2 });
    const [a, b] = [await pool.acquire(), await pool.acquire()];
    expect([a.index, b.index, pool.busy]).toEqual([0, 1, 2]);
    a.release();
    a.release();
    expect(pool.busy).toBe(1);
    expect((await pool.acquire()).index).toBe(0);
  });

  it('lets wait in the order of asking', async () => {
    const pool = new SlotPool({ size: 1 });
    const first = await pool.acquire();
    const order: string[] = [];
    const waits = ['x', 'y', 'z'].map(async (name) => {
      const slot = await pool.acquire();
      order.push(name);
      slot.release();
    });
    expect(pool.waiting).toBe(3);
    first.release();
    await Promise.all(waits);
    expect(order).toEqual(['x', 'y', 'z']);
    expect([pool.busy, pool.waiting]).toEqual([0, 0]);
  });

  it('refuses those who would wait beyond the bound', async () => {
    const pool = new SlotPool({ size: 1, maxWaiting: 1 });
    const held = await pool.acquire();
    const waiting = pool.acquire();
    await expect(pool.acquire()).rejects.toMatchObject({
      code: 'LOGLOFT_RLM_READER_QUEUE_FULL',
      retryable: true,
    });
    held.release();
    (await waiting).release();
  });

  it('forgets who gave up waiting, and takes the listener away', async () => {
    const pool = new SlotPool({ size: 1 });
    const held = await pool.acquire();
    const controller = new AbortController();
    const waiting = pool.acquire(controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(pool.waiting).toBe(0);
    await expect(pool.acquire(controller.signal)).rejects.toThrow('enough');
    held.release();
    expect(pool.busy).toBe(0);
  });
});
