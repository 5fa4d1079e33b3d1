import { ManualClock, systemRandom } from '@logloft/clock';
import { GuardedObjectStore, memorySource } from '@logloft/remote-storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { pluginContext } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';
import { ADAPTERS } from './adapters.ts';
import { startSlowServer } from './slow-server.ts';

// A line may be so slow that a part takes minutes. While its bytes move, it is not dead.

const MIB = 1024 * 1024;
const PART_BYTES = 16 * MIB;
// Few enough that what is left to send is more than lies between the two.
const ROUNDS = 4;
const ROUND_MS = 20_000;

let cleanup: Cleanup;
beforeEach(() => {
  cleanup = new Cleanup();
});
afterEach(() => cleanup.run());

test.each(ADAPTERS)(
  'a part that $name sends for minutes goes on while its bytes move',
  async (adapter) => {
    const server = await startSlowServer(cleanup, 64 * 1024);
    const clock = new ManualClock({ startMs: Date.now() });
    const context = { ...pluginContext(), clock, random: systemRandom };
    const bare = await adapter.create(adapter.optionsAt(server.url, PART_BYTES), context);
    const store = new GuardedObjectStore(bare, context, { idleTimeoutMs: 30_000 });
    cleanup.add(() => store.close());
    const controller = new AbortController();
    const reason = new Error('the test is over');
    let movements = 0;
    let failure: unknown;
    const writing = store.put('slow', memorySource(new Uint8Array(PART_BYTES).fill(1)), {
      signal: controller.signal,
      onProgress: () => {
        movements += 1;
      },
    });
    writing.catch((error: unknown) => {
      failure = error;
    });
    await waitUntil('the body to begin', () => {
      const bytes = server.connections[0]?.bytes.byteLength ?? 0;
      return bytes >= 64 * 1024 ? undefined : `${bytes} bytes`;
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = movements;
      await waitUntil('bytes to move', () => {
        server.connections[0]?.read(MIB / 2);
        return movements > before || failure !== undefined ? undefined : 'none';
      });
      await clock.advanceAsync(ROUND_MS);
      expect(failure).toBeUndefined();
    }
    expect(server.connections).toHaveLength(1);
    controller.abort(reason);
    await expect(writing).rejects.toBe(reason);
  },
);
