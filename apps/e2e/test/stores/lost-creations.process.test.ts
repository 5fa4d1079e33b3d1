import { ManualClock, systemRandom } from '@logloft/clock';
import { collectBytes, GuardedObjectStore, memorySource } from '@logloft/remote-storage';
import { ruledProxyFaults, seededBytes, startFaultProxy } from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { startAzurite } from '../../src/harness/stores/azure-server.ts';
import { startGcs } from '../../src/harness/stores/gcs-server.ts';
import { startS3StubServer } from '../../src/harness/stores/s3-server.ts';
import { pluginContext, type StoreServer } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// A create whose answer is lost has been carried out, and every attempt after it is refused. However many
// answers in a row are lost, whoever keeps asking must not be told that somebody else was there first.

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

describe.each(SERVERS)('a create in %s', (_, start) => {
  const servers = new Cleanup();
  let server: StoreServer;
  beforeAll(async () => {
    server = await start(servers);
  });
  afterAll(() => servers.run());

  test.each([1, 2, 3, 4, 5])('of which %i answers are lost succeeds', async (lost) => {
    const proxy = await startFaultProxy({ target: server.url });
    cleanup.add(() => proxy.close());
    const clock = new ManualClock({ startMs: Date.now() });
    const context = { ...pluginContext(), clock, random: systemRandom };
    const options = server.optionsAt(proxy.url);
    const store = new GuardedObjectStore(await server.createObjectStore(options, context), context);
    cleanup.add(() => store.close());
    proxy.use(ruledProxyFaults([{ times: lost, fault: { type: 'drop-response' } }]));
    const bytes = seededBytes(lost, 1_000);
    const key = `lost-${lost}`;
    let outcome: PromiseSettledResult<void> | undefined;
    void Promise.allSettled([store.put(key, memorySource(bytes), { ifAbsent: true })]).then(
      ([settled]) => {
        outcome = settled;
      },
    );
    await waitUntil(
      'the create to settle',
      async () => {
        await clock.advanceAsync(100);
        return outcome === undefined ? 'it has not' : undefined;
      },
      { everyMs: 5 },
    );
    expect(outcome).toEqual({ status: 'fulfilled', value: undefined });
    const found = await collectBytes(await store.get(key), bytes.byteLength);
    expect(Buffer.from(found).equals(bytes)).toBe(true);
    const again = store.put(key, memorySource(bytes), { ifAbsent: true });
    await expect(again).rejects.toMatchObject({ kind: 'precondition' });
  });
});
