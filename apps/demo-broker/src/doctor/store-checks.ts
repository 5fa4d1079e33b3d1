import type { Clock, RandomSource } from '@logloft/clock';
import {
  collectBytes,
  isRemoteStorageError,
  memorySource,
  type ObjectStore,
  RemoteStorageError,
} from '@logloft/remote-storage';
import { printByteSize } from '../command-line/byte-size.ts';
import type { CheckList } from './check-list.ts';
import type { Skipped, Success } from './finding.ts';

/** What the checks of a store work with. */
export interface StoreChecks {
  readonly store: ObjectStore;
  readonly list: CheckList;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Keys of what is written for the checks begin with this. */
  readonly prefix: string;
  /** Bytes of the large object. */
  readonly sizeBytes: number;
  readonly signal: AbortSignal;
}

const SMALL_BYTES = 1_000;
/** Stores refuse a request whose time is further off than 15 minutes. */
const SKEW_REFUSED_MS = 15 * 60_000;
const SKEW_WARNED_MS = 60_000;

/**
 * Does once all that tiering does to a store, and removes it again: what does not work is found here,
 * and not when a broker has been running for a day.
 */
export async function checkStore(checks: StoreChecks): Promise<void> {
  const { list, random, store, signal } = checks;
  // Of its own, so that two who look at once do not meet.
  const id = Buffer.from(random.fill(new Uint8Array(8))).toString('hex');
  const small = `${checks.prefix}${id}/small`;
  const large = `${checks.prefix}${id}/large`;
  await list.check('clock', 'open', () => compareClocks(checks));
  const isThere = await list.check('bucket', 'list', () => listBucket(checks));
  const bytes = random.fill(new Uint8Array(SMALL_BYTES));
  const wrote = await list.check('write', 'write', async () => {
    await store.put(small, memorySource(bytes), { signal });
    return { detail: `${SMALL_BYTES} bytes` };
  });
  if (wrote) {
    await list.check('ranged read', 'read', () => readRanges(checks, small, bytes));
    await list.check('conditional write', 'condition', () => writeConditionally(checks, small));
    await list.check('large object', 'parts', () => moveLargeObject(checks, large));
    await list.check('delete', 'delete', () => deleteAll(checks, [small]));
    // Whoever interrupts is not left with it.
    if (signal.aborted) await store.delete([small]).catch(() => undefined);
  } else {
    const reason = isThere ? 'nothing could be written' : 'there is no bucket to try it on';
    for (const name of ['ranged read', 'conditional write', 'large object', 'delete']) {
      list.skip(name, reason);
    }
  }
}

async function compareClocks({ store, clock, signal }: StoreChecks): Promise<Success | Skipped> {
  if (store.serverTime === undefined) return { skipped: 'the store does not mind the time' };
  const askedMs = clock.now();
  const thereMs = await store.serverTime({ signal });
  // The answer was made at some time in between, and tells whole seconds.
  const hereMs = (askedMs + clock.now()) / 2;
  const seconds = Math.round((hereMs - thereMs) / 1_000);
  const off = Math.abs(hereMs - thereMs);
  const detail = `this machine is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the store`;
  if (off >= SKEW_REFUSED_MS) {
    throw new RemoteStorageError('denied', `The clock is off: ${detail} (RequestTimeTooSkewed)`);
  }
  if (off < SKEW_WARNED_MS) return { detail };
  return {
    detail,
    warning: { remedy: 'Set the clock by NTP: at 15 minutes the store refuses every request.' },
  };
}

async function listBucket({ store, prefix, signal }: StoreChecks): Promise<Success> {
  let found = 0;
  for await (const _ of store.list({ prefix, signal })) {
    found += 1;
    if (found >= 10) break;
  }
  if (found === 0) return { detail: 'can be listed' };
  return {
    detail: `can be listed; objects of an earlier check are left below ${prefix}`,
    warning: { remedy: `Remove what is below ${prefix}; an earlier check could not.` },
  };
}

async function readRanges(
  { store, signal }: StoreChecks,
  key: string,
  bytes: Uint8Array,
): Promise<Success> {
  const whole = await collectBytes(await store.get(key, undefined, { signal }), SMALL_BYTES);
  assertSame(whole, bytes, 'The object');
  const range = { start: 100, end: 199 };
  const part = await collectBytes(await store.get(key, range, { signal }), SMALL_BYTES);
  assertSame(part, bytes.subarray(100, 200), 'Bytes 100 to 199');
  await refused('A range that starts beyond the end', 'bad-range', () =>
    store.get(key, { start: SMALL_BYTES }, { signal }),
  );
  return { detail: 'whole, in part, and refused beyond the end' };
}

async function writeConditionally(
  { store, signal }: StoreChecks,
  key: string,
): Promise<Success | Skipped> {
  if (!store.capabilities.conditionalPut) {
    return { skipped: 'the store is said to have none; tiering does not need it' };
  }
  await refused('A second object under the same key', 'precondition', () =>
    store.put(key, memorySource(new Uint8Array(1)), { ifAbsent: true, signal }),
  );
  return { detail: 'a key that exists is refused' };
}

async function moveLargeObject(checks: StoreChecks, key: string): Promise<Success> {
  const { store, clock, random, sizeBytes, signal } = checks;
  const bytes = random.fill(new Uint8Array(sizeBytes));
  try {
    const startedMs = clock.monotonic();
    await store.put(key, memorySource(bytes), { signal });
    const writtenMs = clock.monotonic();
    const pieces = await store.get(key, undefined, { signal });
    const firstMs = clock.monotonic();
    let at = 0;
    for await (const piece of pieces) {
      assertSame(piece, bytes.subarray(at, at + piece.byteLength), `Bytes from ${at}`);
      at += piece.byteLength;
    }
    if (at !== sizeBytes) {
      throw new RemoteStorageError('corrupt', `${at} of ${sizeBytes} bytes came back`);
    }
    const readMs = clock.monotonic();
    const up = rate(sizeBytes, writtenMs - startedMs);
    const down = rate(sizeBytes, readMs - writtenMs);
    const first = `first byte after ${Math.round(firstMs - writtenMs)} ms`;
    return { detail: `${printByteSize(sizeBytes)} up at ${up}, down at ${down}, ${first}` };
  } finally {
    await store.delete([key]).catch(() => undefined);
  }
}

async function deleteAll(
  { store, signal }: StoreChecks,
  keys: readonly string[],
): Promise<Success> {
  await store.delete(keys, { signal });
  await store.delete(keys, { signal });
  const [key = ''] = keys;
  await refused('An object that was deleted', 'not-found', () => store.head(key, { signal }));
  return { detail: 'gone, and deleting it again is no error' };
}

async function refused(
  what: string,
  kind: RemoteStorageError['kind'],
  attempt: () => Promise<unknown>,
): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (isRemoteStorageError(error) && error.kind === kind) return;
    throw error;
  }
  throw new RemoteStorageError(kind, `${what} must be refused, and the store took it`);
}

function assertSame(found: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(found, expected) === 0) return;
  throw new RemoteStorageError('corrupt', `${what} came back changed`);
}

function rate(bytes: number, ms: number): string {
  return `${printByteSize((bytes / Math.max(ms, 1)) * 1_000)}/s`;
}
