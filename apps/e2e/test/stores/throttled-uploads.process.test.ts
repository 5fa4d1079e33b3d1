import { ManualClock, systemRandom } from '@logloft/clock';
import { memorySource, type ObjectStore } from '@logloft/remote-storage';
import {
  type FaultProxy,
  type ProxyFault,
  type ProxyFaultPlan,
  startFaultProxy,
} from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { startAzurite } from '../../src/harness/stores/azure-server.ts';
import { startGcs } from '../../src/harness/stores/gcs-server.ts';
import { startS3StubServer } from '../../src/harness/stores/s3-server.ts';
import { pluginContext, type StoreServer } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// S29 of the known cases: after a store had throttled, writes kept piling up. Twelve uploads are throttled
// together. Those that come again are held by the proxy, so that it shows how many are let go at one time;
// all pauses are over by then, since time is moved by hand.

const UPLOADS = 12;
const LONG_MS = 60_000;

let cleanup: Cleanup;
beforeEach(() => {
  cleanup = new Cleanup();
});
afterEach(() => cleanup.run());

/** Throttles the first uploads, and holds all later ones while it is told to. */
class Throttle implements ProxyFaultPlan {
  readonly #status: number;
  #left = UPLOADS;
  isHolding = true;

  constructor(status: number) {
    this.#status = status;
  }

  next(): ProxyFault | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return { type: 'status', status: this.#status };
    }
    return this.isHolding ? { type: 'delay', ms: LONG_MS } : undefined;
  }
}

async function setUp(server: StoreServer, status: number) {
  const proxyClock = new ManualClock();
  const clock = new ManualClock({ startMs: Date.now() });
  const throttle = new Throttle(status);
  const proxy = await startFaultProxy({ target: server.url, faults: throttle, clock: proxyClock });
  cleanup.add(() => proxy.close());
  const context = { ...pluginContext(), clock, random: systemRandom };
  const store = await server.createObjectStore(server.optionsAt(proxy.url), context);
  cleanup.add(async () => {
    await store[Symbol.asyncDispose]();
  });
  return { proxy, proxyClock, clock, throttle, store };
}

function putAll(store: ObjectStore, round: string): Promise<unknown> {
  const bytes = new Uint8Array(1_000);
  return Promise.all(
    Array.from({ length: UPLOADS }, (_, n) => store.put(`${round}/${n}`, memorySource(bytes))),
  );
}

function openIn(proxy: FaultProxy): number {
  return proxy.log.filter(({ outcome }) => outcome === 'open').length;
}

/** Lets all that may be sent be sent. */
async function settled(proxy: FaultProxy): Promise<number> {
  let before = -1;
  await waitUntil('no more requests to come', () => {
    const now = proxy.log.length;
    const isSame = now === before;
    before = now;
    return isSame ? undefined : `${now} requests`;
  });
  return openIn(proxy);
}

const SERVERS: readonly [string, (cleanup: Cleanup) => Promise<StoreServer>][] = [
  ['s3', startS3StubServer],
  ['gcs', startGcs],
  ['azure', startAzurite],
];

describe.each(SERVERS)('the uploads of %s', (_, start) => {
  const servers = new Cleanup();
  let server: StoreServer;
  beforeAll(async () => {
    server = await start(servers);
  });
  afterAll(() => servers.run());

  test.each([503, 429])(
    'are fewer at one time after a %i, and become more again one by one (S29)',
    async (status) => {
      const { proxy, proxyClock, clock, throttle, store } = await setUp(server, status);
      const first = putAll(store, `first-${status}`);
      await waitUntil('the burst to be throttled', () => {
        const answered = proxy.log.filter(({ outcome }) => outcome === 'answered').length;
        return answered === UPLOADS ? undefined : `${answered} answers`;
      });
      // The pauses of the retries end; whoever may go, goes.
      const held = async (): Promise<number> => {
        await clock.advanceAsync(1_000);
        return await settled(proxy);
      };
      await waitUntil('uploads to come again', async () =>
        (await held()) > 0 ? undefined : 'none',
      );
      const afterThrottle = await held();
      expect(afterThrottle).toBeGreaterThanOrEqual(1);
      expect(afterThrottle).toBeLessThanOrEqual(UPLOADS / 2);

      throttle.isHolding = false;
      proxyClock.advance(LONG_MS);
      await first;

      throttle.isHolding = true;
      const second = putAll(store, `second-${status}`);
      await waitUntil('more uploads at one time', async () => {
        const now = await held();
        return now > afterThrottle ? undefined : `${now} after ${afterThrottle}`;
      });
      expect(await held()).toBeLessThan(UPLOADS);

      throttle.isHolding = false;
      proxyClock.advance(LONG_MS);
      await second;
      expect(openIn(proxy)).toBe(0);
    },
  );
});
