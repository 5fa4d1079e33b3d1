import { ManualClock, systemRandom } from '@logloft/clock';
import { collectBytes } from '@logloft/remote-storage';
import { gatedSource, seededBytes, startFaultProxy } from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { startAzurite } from '../../src/harness/stores/azure-server.ts';
import { startGcs } from '../../src/harness/stores/gcs-server.ts';
import { startS3StubServer } from '../../src/harness/stores/s3-server.ts';
import { pluginContext, type StoreServer } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';

// S70 of the known cases: a source that paused let its request time out. S72: an upload whose source
// paused could not be stopped.

const PAUSE_MS = 90_000;
const TURNS = 50;

let cleanup: Cleanup;
beforeEach(() => {
  cleanup = new Cleanup();
});
afterEach(() => cleanup.run());

async function setUp(server: StoreServer) {
  const proxy = await startFaultProxy({ target: server.url });
  cleanup.add(() => proxy.close());
  const clock = new ManualClock({ startMs: Date.now() });
  const store = await server.createObjectStore(
    { ...server.optionsAt(proxy.url), ...server.smallParts.options },
    { ...pluginContext(), clock, random: systemRandom },
  );
  cleanup.add(async () => {
    await store[Symbol.asyncDispose]();
  });
  // Several parts come before the pause, also where parts are large.
  const bytes = seededBytes(70, 2 * server.smallParts.bytes);
  const gated = gatedSource(bytes);
  const untilQuiet = async (): Promise<void> => {
    await gated.reached;
    let before = -1;
    await waitUntil('no request to be under way', () => {
      const { length } = proxy.log;
      const open = proxy.log.filter(({ outcome }) => outcome === 'open').length;
      const isQuiet = open === 0 && length === before;
      before = length;
      return isQuiet ? undefined : `${open} of ${length}`;
    });
  };
  return { proxy, clock, store, bytes, gated, untilQuiet };
}

const SERVERS: readonly [string, (cleanup: Cleanup) => Promise<StoreServer>][] = [
  ['s3', startS3StubServer],
  ['gcs', startGcs],
  ['azure', startAzurite],
];

describe.each(SERVERS)('an upload to %s whose source pauses', (_, start) => {
  const servers = new Cleanup();
  let server: StoreServer;
  beforeAll(async () => {
    server = await start(servers);
  });
  afterAll(() => servers.run());

  test('has no request open meanwhile, and goes on after 90 s (S70)', async () => {
    const { proxy, clock, store, bytes, gated, untilQuiet } = await setUp(server);
    const writing = store.put('slow', gated.source);
    writing.catch(() => undefined);
    await untilQuiet();
    const requests = proxy.log.length;
    for (let second = 0; second < PAUSE_MS; second += 1_000) await clock.advanceAsync(1_000);
    expect(proxy.log).toHaveLength(requests);
    gated.open();
    await writing;
    const found = await collectBytes(await store.get('slow'), bytes.byteLength);
    expect(Buffer.from(found).equals(bytes)).toBe(true);
  });

  test('is stopped by its signal at once, and leaves nothing (S72)', async () => {
    const { proxy, store, gated, untilQuiet } = await setUp(server);
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const writing = store.put('stopped', gated.source, { signal: controller.signal });
    writing.catch(() => undefined);
    await untilQuiet();
    controller.abort(reason);
    await expect(writing).rejects.toBe(reason);
    const requests = proxy.log.length;
    gated.open();
    for (let turn = 0; turn < TURNS; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(proxy.log).toHaveLength(requests);
    await expect(store.head('stopped')).rejects.toMatchObject({ kind: 'not-found' });
    expect((await server.unfinishedUploads?.()) ?? 0).toBe(0);
  });
});
