import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import {
  type ByteRange,
  isRemoteStorageError,
  openRemoteStorage,
  type RemoteLogSegmentMetadata,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import {
  type FaultProxy,
  PASSING_PROXY_FAULTS,
  type ProxyFault,
  ruledProxyFaults,
  type SeededSegment,
  seededProxyFaults,
  seededSegment,
} from '@logloft/remote-storage-testkit';
import { pluginContext, type StoreServer } from '../harness/stores/store-server.ts';
import type { CallTimes } from './call-times.ts';

/** What is done to requests: what passes by itself, and what only a deadline ends. */
const FAULTS: readonly ProxyFault[] = [
  ...PASSING_PROXY_FAULTS,
  { type: 'blackhole' },
  { type: 'stall-response', afterBytes: 10 },
  { type: 'stall-response', afterBytes: 50_000 },
  { type: 'wrong-length', offByBytes: -7 },
  { type: 'wrong-length', offByBytes: 7 },
  { type: 'throttle', upBytesPerSecond: 200_000, downBytesPerSecond: 200_000 },
  { type: 'delay', ms: 2_000 },
];

/** Ms that a call is given. */
export const DEADLINE_MS = 500;

/** One in so many runs has a segment that is sent in parts. */
const LARGE_EVERY = 8;
const READS = 3;

/** What a run is made with. */
export interface FaultRunOptions {
  readonly server: StoreServer;
  readonly proxy: FaultProxy;
  readonly seed: number;
  readonly times: CallTimes;
  /** Properties of compression and encryption, without `rsm.config.`. */
  readonly sealed: Readonly<Record<string, string>>;
}

/** What a run did. */
export interface FaultRunResult {
  readonly copied: boolean;
  readonly reads: number;
  readonly failedReads: number;
  readonly faults: number;
  readonly prefix: string;
}

/**
 * Copies a segment through a faulty proxy, reads parts of it, and deletes it: every call settles in its
 * time, fails with an error of the contract or not at all, and what is read is right.
 */
export async function faultRun(options: FaultRunOptions): Promise<FaultRunResult> {
  const { seed, proxy } = options;
  const random = seededRandom(seed);
  const prefix = `run-${seed}/`;
  const segment = segmentFor(options, random);
  const manager = await open(options, { prefix, random });
  const before = proxy.log.length;
  proxy.use(seededProxyFaults(seed, { rate: 0.04 + 0.26 * fraction(random), actions: FAULTS }));
  try {
    const copied = await copy(options, manager, segment);
    const reads =
      copied === undefined ? [] : await readParts(options, { manager, copied, segment, random });
    await options.times.call('delete', () =>
      attempt((signal) => manager.deleteLogSegmentData(copied ?? segment.metadata, { signal })),
    );
    return {
      prefix,
      copied: copied !== undefined,
      reads: reads.length,
      failedReads: reads.filter((read) => !read).length,
      faults: proxy.log.slice(before).filter(({ fault }) => fault !== undefined).length,
    };
  } finally {
    proxy.use(ruledProxyFaults([]));
    await manager[Symbol.asyncDispose]();
  }
}

/** Deletes by a sound connection what a run has left. */
export async function cleanUp(
  { server, seed }: Pick<FaultRunOptions, 'server' | 'seed'>,
  segment: RemoteLogSegmentMetadata,
): Promise<void> {
  const module = { createObjectStore: server.createObjectStore };
  const options = { ...storeOptions(server, server.url), 'key.prefix': `run-${seed}/` };
  const manager = await openRemoteStorage(module, options, pluginContext());
  try {
    await manager.deleteLogSegmentData(segment);
  } finally {
    await manager[Symbol.asyncDispose]();
  }
}

/** The segment of a run. */
export function segmentFor(
  { server, seed }: Pick<FaultRunOptions, 'server' | 'seed'>,
  random: RandomSource = seededRandom(seed),
): SeededSegment {
  const isLarge = randomBelow(random, LARGE_EVERY) === 0;
  return seededSegment(seed, isLarge ? { logBytes: server.smallParts.bytes } : {});
}

async function open(
  { server, proxy, sealed }: FaultRunOptions,
  { prefix, random }: { readonly prefix: string; readonly random: RandomSource },
): Promise<RemoteStorageManager> {
  const deadline = String(DEADLINE_MS);
  return await openRemoteStorage(
    { createObjectStore: server.createObjectStore },
    {
      ...storeOptions(server, proxy.url),
      ...(fraction(random) < 0.5 ? sealed : {}),
      'key.prefix': prefix,
      'chunk.size': String(20_000 + randomBelow(random, 200_000)),
      'request.timeout.ms': deadline,
      'idle.timeout.ms': deadline,
      'retry.max.attempts': '3',
    },
    pluginContext(),
  );
}

function storeOptions(server: StoreServer, url: string): Readonly<Record<string, string>> {
  const options = { ...server.optionsAt(url), ...server.smallParts.options };
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [`storage.${name}`, value]),
  );
}

/** @returns the metadata to read it by; `undefined` when it was not copied */
async function copy(
  { times }: FaultRunOptions,
  manager: RemoteStorageManager,
  { metadata, data }: SeededSegment,
): Promise<RemoteLogSegmentMetadata | undefined> {
  const outcome = await times.call('copy', () =>
    attempt(async (signal) => ({
      customMetadata: await manager.copyLogSegmentData(metadata, data, { signal }),
    })),
  );
  return outcome === undefined ? undefined : { ...metadata, ...outcome };
}

async function readParts(
  { times }: FaultRunOptions,
  scene: {
    readonly manager: RemoteStorageManager;
    readonly copied: RemoteLogSegmentMetadata;
    readonly segment: SeededSegment;
    readonly random: RandomSource;
  },
): Promise<boolean[]> {
  const { manager, copied, segment, random } = scene;
  const outcomes: boolean[] = [];
  for (let count = 0; count < READS; count += 1) {
    const size = segment.parts.log.byteLength;
    const start = randomBelow(random, size);
    const range = { start, end: start + randomBelow(random, size - start) };
    const found = await times.call('read', () =>
      attempt(async (signal) => gather(await manager.fetchLogSegment(copied, range, { signal }))),
    );
    if (found !== undefined) assertSame(found, segment.parts.log, range);
    outcomes.push(found !== undefined);
  }
  const index = await times.call('index', () =>
    attempt((signal) => manager.fetchIndex(copied, 'OFFSET', { signal })),
  );
  if (index !== undefined) assertSame(Buffer.from(index), segment.parts.offsetIndex, { start: 0 });
  outcomes.push(index !== undefined);
  return outcomes;
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const piece of pieces) kept.push(Buffer.from(piece));
  return Buffer.concat(kept);
}

/**
 * Runs a call that is no longer wanted after its deadline.
 *
 * @returns `undefined` when it failed, as it may
 * @throws what is no error of the contract
 */
async function attempt<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await call(signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined;
    if (isRemoteStorageError(error)) return undefined;
    throw error;
  }
}

function assertSame(found: Buffer, log: Uint8Array, { start, end }: ByteRange): void {
  const expected = log.subarray(start, end === undefined ? undefined : end + 1);
  if (Buffer.compare(found, expected) === 0) return;
  throw new Error(`bytes ${start} to ${end} came back changed: ${found.length} bytes`);
}

function fraction(random: RandomSource): number {
  return random.nextUint32() / 2 ** 32;
}
