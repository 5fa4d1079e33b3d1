import { ManualClock, systemRandom } from '@logloft/clock';
import { BytePacer } from '@logloft/quota';
import { memorySource } from '@logloft/remote-storage';
import { startFaultProxy } from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { startAzurite } from '../../src/harness/stores/azure-server.ts';
import { startGcs } from '../../src/harness/stores/gcs-server.ts';
import { startS3StubServer } from '../../src/harness/stores/s3-server.ts';
import { pluginContext, type StoreServer } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// S24 of the known cases, on the wire: uploads side by side under one limit. By no moment have more bytes come
// than the limit times the time, and the parts that may be under way.

const UPLOADS = 3;
const PARTS_IN_FLIGHT = 4;

let cleanup: Cleanup;
beforeEach(() => {
  cleanup = new Cleanup();
});
afterEach(() => cleanup.run());

const SERVERS: readonly [string, (cleanup: Cleanup) => Promise<StoreServer>][] = [
  ['s3', startS3StubServer],
  ['gcs', startGcs],
  ['azure', startAzurite],
];

describe.each(SERVERS)('uploads to %s', (_, start) => {
  const servers = new Cleanup();
  let server: StoreServer;
  beforeAll(async () => {
    server = await start(servers);
  });
  afterAll(() => servers.run());

  test('keep the limit of their pacer together (S24)', async () => {
    const clock = new ManualClock({ startMs: Date.now() });
    const arrivedMs: number[] = [];
    const proxy = await startFaultProxy({
      target: server.url,
      faults: {
        next: () => {
          arrivedMs.push(clock.monotonic());
          return undefined;
        },
      },
    });
    cleanup.add(() => proxy.close());
    const { options } = server.smallParts;
    const partBytes = Number(Object.values(options)[0]);
    const store = await server.createObjectStore(
      { ...server.optionsAt(proxy.url), ...options },
      { ...pluginContext(), clock, random: systemRandom },
    );
    cleanup.add(async () => {
      await store[Symbol.asyncDispose]();
    });
    const limit = partBytes;
    const pacer = new BytePacer({ clock, limit });
    const bytes = new Uint8Array(3 * partBytes + 17);
    let ended = 0;
    const writing = Array.from({ length: UPLOADS }, (_, number) =>
      store.put(`paced/${number}`, memorySource(bytes), { pacer }).finally(() => {
        ended += 1;
      }),
    );
    await waitUntil(
      'the uploads to end',
      async () => {
        await clock.advanceAsync(100);
        return ended === UPLOADS ? undefined : `${ended} have`;
      },
      { everyMs: 5 },
    );
    await Promise.all(writing);
    const underWay = UPLOADS * PARTS_IN_FLIGHT * partBytes;
    let total = 0;
    for (const [index, { requestBytes }] of proxy.log.entries()) {
      total += requestBytes;
      const atMs = arrivedMs[index] ?? 0;
      expect(total).toBeLessThanOrEqual((limit * atMs) / 1_000 + underWay);
    }
    expect(total).toBeGreaterThanOrEqual(UPLOADS * bytes.byteLength);
    // All but what was under way took its time.
    expect(clock.monotonic()).toBeGreaterThanOrEqual(
      ((UPLOADS * bytes.byteLength - partBytes) / limit) * 1_000,
    );
  });
});
