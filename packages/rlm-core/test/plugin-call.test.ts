import { ManualClock } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { callPlugin } from '../src/plugin-call.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

describe('a call of a plugin', () => {
  it('settles as the call does, and leaves no timer', async () => {
    const clock = new ManualClock();
    const options = { clock, what: 'copy', stallTimeoutMs: 100 };
    expect(await callPlugin(options, () => Promise.resolve(7)).result).toBe(7);
    const failed = callPlugin(options, () => Promise.reject(new Error('no')));
    await expect(failed.result).rejects.toThrow('no');
    const thrown = callPlugin(options, () => {
      throw new Error('thrown');
    });
    await expect(thrown.result).rejects.toThrow('thrown');
    expect(clock.pendingTimers).toBe(0);
  });

  it('that does not come back is aborted, and given up some seconds later', async () => {
    const clock = new ManualClock();
    let aborted = false;
    const call = callPlugin({ clock, what: 'copy', stallTimeoutMs: 100 }, ({ signal }) => {
      signal?.addEventListener('abort', () => {
        aborted = true;
      });
      return never();
    });
    const result = outcome(call.result);
    await clock.advanceAsync(100);
    expect(aborted).toBe(true);
    await clock.advanceAsync(5_000);
    expect(await result).toMatchObject({ code: 'LOGLOFT_RLM_STORE_TIMEOUT', retryable: true });
    expect(call.isSettled()).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('that makes progress, or waits for its pacer, goes on', async () => {
    const clock = new ManualClock();
    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => void clock.setTimer(ms, resolve));
    const pacer = { take: () => pause(1000) };
    const call = callPlugin(
      { clock, what: 'copy', stallTimeoutMs: 100, pacer },
      async (options) => {
        await pause(90);
        options.onProgress?.(1);
        await pause(90);
        await options.pacer?.take(1, {});
        await pause(90);
        return 'done';
      },
    );
    await clock.advanceAsync(2000);
    expect(await call.result).toBe('done');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of its signal, whatever the plugin makes of it', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const options = { clock, what: 'copy', stallTimeoutMs: 100, signal: controller.signal };
    const call = callPlugin(
      options,
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('something else')));
        }),
    );
    const result = outcome(call.result);
    controller.abort(new Error('leadership lost'));
    expect(await result).toEqual(new Error('leadership lost'));
    await expect(callPlugin(options, never).result).rejects.toThrow('leadership lost');
    expect(clock.pendingTimers).toBe(0);
  });
});
