import { ManualClock, systemRandom } from '@logloft/clock';
import { GuardedObjectStore, memorySource } from '@logloft/remote-storage';
import {
  type ProxyRule,
  ruledProxyFaults,
  seededBytes,
  startFaultProxy,
} from '@logloft/remote-storage-testkit';
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
    const seen = await putThrough(server, { rule: {}, status, bytes: 1_000 });
    expect(seen).toEqual({ refused: 1, warnings: [] });
  });

  test('whose parts are sent, and is to be made an object later, is not begun anew', async () => {
    const rule = LAST_REQUEST[server.flag];
    const seen = await putThrough(server, { rule, status: 503, bytes: server.smallParts.bytes });
    expect(seen).toEqual({ refused: 1, warnings: [] });
  });
});

/** What makes an object of parts that were sent; of GCS one of its pieces. */
const LAST_REQUEST: Readonly<Record<StoreServer['flag'], Omit<ProxyRule, 'fault'>>> = {
  s3: { method: 'POST', path: 'uploadId=' },
  gcs: { method: 'PUT' },
  azure: { path: 'comp=blocklist' },
};

/** Puts an object while one request is refused with a pause; tells what was refused and logged. */
async function putThrough(
  server: StoreServer,
  {
    rule,
    status,
    bytes,
  }: {
    readonly rule: Omit<ProxyRule, 'fault'>;
    readonly status: number;
    readonly bytes: number;
  },
): Promise<{ readonly refused: number; readonly warnings: readonly string[] }> {
  const proxy = await startFaultProxy({ target: server.url });
  cleanup.add(() => proxy.close());
  const clock = new ManualClock({ startMs: Date.now() });
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const { logger, ...rest } = pluginContext();
  const context = { ...rest, clock, random: systemRandom, logger: { ...logger, warn } };
  const options = { ...server.optionsAt(proxy.url), ...server.smallParts.options };
  const bare = await server.createObjectStore(options, context);
  const store = new GuardedObjectStore(bare, context, { idleTimeoutMs: PAUSE_S * 1_000 });
  cleanup.add(() => store.close());
  const fault = { type: 'status', status, retryAfterSeconds: PAUSE_S } as const;
  proxy.use(ruledProxyFaults([{ ...rule, times: 1, fault }]));
  const refused = (): number => proxy.log.filter((exchange) => exchange.fault === fault).length;
  const writing = store.put(`later-${status}-${bytes}`, memorySource(seededBytes(1, bytes)));
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  writing.then(over, over);
  await waitUntil('the refusal', () => {
    const isThere = refused() === 1 && proxy.log.every(({ outcome }) => outcome === 'answered');
    return isThere ? undefined : 'none yet';
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
  return { refused: refused(), warnings };
}
