import { isRemoteStorageError, memorySource } from '@logloft/remote-storage';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cleanup } from '../../src/harness/cleanup.ts';
import { pluginContext } from '../../src/harness/stores/store-server.ts';
import { waitUntil } from '../../src/harness/wait-until.ts';
import { ADAPTERS, type SinglePartAdapter } from './adapters.ts';
import { type SlowServer, startSlowServer } from './slow-server.ts';

// S15 of the known cases: a pooled buffer that was used after its release showed the bytes of another.
// Two uploads share memory for one part. The first is given up while most of its bytes are still on their
// way; the second then fills the same memory. What arrives of the first must be of the first alone.

const MIB = 1024 * 1024;
const PART_BYTES = 16 * MIB;
const FIRST = 0xa1;
const SECOND = 0xb2;

let cleanup: Cleanup;
beforeEach(() => {
  cleanup = new Cleanup();
});
afterEach(() => cleanup.run());

async function setUp({ create, optionsAt }: SinglePartAdapter) {
  const server = await startSlowServer(cleanup, 64 * 1024);
  const store = await create(optionsAt(server.url, PART_BYTES), pluginContext());
  cleanup.add(async () => {
    await store[Symbol.asyncDispose]();
  });
  const put = (key: string, mark: number, signal?: AbortSignal): Promise<unknown> =>
    store
      .put(key, memorySource(new Uint8Array(PART_BYTES).fill(mark)), { signal })
      .catch((error: unknown) => error);
  return { server, put };
}

async function bodyBegins(server: SlowServer, connection: number): Promise<void> {
  await waitUntil(`connection ${connection} to bring a body`, () => {
    const bytes = server.connections[connection]?.bytes ?? Buffer.alloc(0);
    return bytes.byteLength >= 64 * 1024 ? undefined : `${bytes.byteLength} bytes`;
  });
}

/** Lets the second upload fill the memory of the first, and then reads what came of the first. */
async function assertUnmixed(
  server: SlowServer,
  secondPut: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const controller = new AbortController();
  const second = secondPut(controller.signal);
  await bodyBegins(server, 1);
  const [first, other] = server.connections;
  expect(other?.bytes.includes(SECOND)).toBe(true);
  first?.resume();
  await first?.ended;
  const arrived = first?.bytes ?? Buffer.alloc(0);
  expect(arrived.filter((byte) => byte === FIRST).byteLength).toBeGreaterThan(32 * 1024);
  // Not all of it can have been on its way when it was given up.
  expect(arrived.byteLength).toBeLessThan(PART_BYTES);
  const body = arrived.subarray(arrived.indexOf(Buffer.alloc(1_024, FIRST)));
  expect(body.lastIndexOf(Buffer.alloc(16, SECOND))).toBe(-1);
  controller.abort(new Error('the test is over'));
  await second;
}

describe.each(ADAPTERS)('an upload of $name', (adapter) => {
  test('that is given up sends nothing of the one that takes over its memory', async () => {
    const { server, put } = await setUp(adapter);
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const first = put('first', FIRST, controller.signal);
    await bodyBegins(server, 0);
    controller.abort(reason);
    expect(await first).toBe(reason);
    await assertUnmixed(server, (signal) => put('second', SECOND, signal));
  });

  test('that is refused before it was sent sends nothing of the one that takes over its memory', async () => {
    const { server, put } = await setUp(adapter);
    const first = put('first', FIRST);
    await bodyBegins(server, 0);
    server.connections[0]?.answer('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    const failure = await first;
    expect(isRemoteStorageError(failure) && failure.kind).toBe('denied');
    await assertUnmixed(server, (signal) => put('second', SECOND, signal));
  });

  test('that is refused while the answer keeps its connection open sends nothing of the next either', async () => {
    const { server, put } = await setUp(adapter);
    const first = put('first', FIRST);
    await bodyBegins(server, 0);
    const body = 'x'.repeat(100);
    server.connections[0]?.answer(
      `HTTP/1.1 403 Forbidden\r\nConnection: keep-alive\r\nContent-Length: 100\r\n\r\n${body}`,
    );
    const failure = await first;
    expect(isRemoteStorageError(failure) && failure.kind).toBe('denied');
    await assertUnmixed(server, (signal) => put('second', SECOND, signal));
  });
});
