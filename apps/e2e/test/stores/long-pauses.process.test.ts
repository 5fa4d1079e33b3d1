import { ManualClock, systemRandom } from '@logloft/clock';
import { GuardedObjectStore, memorySource } from '@logloft/remote-storage';
import { ruledProxyFaults, seededBytes, startFaultProxy } from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { startAzurite } from '../../src/harness/stores/azure-server.ts';
import { startGcs } from '../../src/harness/stores/gcs-server.ts';
import { startS3StubServer } from '../../src/harness/stores/s3-server.ts';
import { pluginContext, type StoreServer } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// A store may ask for a pause as long as the time in which bytes have to move. It gets its pause, and the
// upload is not taken for dead meanwhile.

const PAUSE_S = 30;

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

describe.each(SERVERS)('an upload to %s', (_, start) => {
  const servers = new Cleanup();
  let server: StoreServer;
  beforeAll(async () => {
    server = await start(servers);
  });
  afterAll(() => servers.run());

  test.each([429, 503])('that is to come back later by a %i does so once', async (status) => {
    const proxy = await startFaultProxy({ target: server.url });
    cleanup.add(() => proxy.close());
    const clock = new ManualClock({ startMs: Date.now() });
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const { logger, ...rest } = pluginContext();
    const context = { ...rest, clock, random: systemRandom, logger: { ...logger, warn } };
    const bare = await server.createObjectStore(server.optionsAt(proxy.url), context);
    const idleTimeoutMs = PAUSE_S * 1_000;
    const store = new GuardedObjectStore(bare, context, { idleTimeoutMs });
    cleanup.add(() => store.close());
    proxy.use(
      ruledProxyFaults([
        { times: 1, fault: { type: 'status', status, retryAfterSeconds: PAUSE_S } },
      ]),
    );
    let isOver = false;
    const writing = store.put(`later-${status}`, memorySource(seededBytes(1, 1_000)));
    const over = (): void => {
      isOver = true;
    };
    writing.then(over, over);
    await waitUntil('the refusal', () => {
      return proxy.log[0]?.outcome === 'answered' ? undefined : 'none yet';
    });
    const refusedMs = clock.monotonic();
    await waitUntil(
      'the upload to end',
      async () => {
        await clock.advanceAsync(500);
        return isOver ? undefined : 'it has not';
      },
      { everyMs: 5 },
    );
    await writing;
    expect(clock.monotonic() - refusedMs).toBeGreaterThanOrEqual(PAUSE_S * 1_000);
    expect(proxy.log).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});
