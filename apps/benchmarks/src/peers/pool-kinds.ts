import { BufferPool } from '@logloft/bufferpool';
import { systemClock } from '@logloft/clock';
import { Sema } from 'async-sema';
import { createPool } from 'generic-pool';
import { Pool } from 'lightning-pool';

/** Bytes of each buffer in the pools. */
export const POOLED_BYTES: number = 16 * 1024;

/** Pools that are compared, by the names of their packages. */
export type PoolKind = '@logloft/bufferpool' | 'generic-pool' | 'async-sema' | 'lightning-pool';

/** All of them, ours first. */
export const POOL_KINDS: readonly PoolKind[] = [
  '@logloft/bufferpool',
  'generic-pool',
  'async-sema',
  'lightning-pool',
];

/** A pool of buffers, by the calls that its own documentation shows. */
export interface PeerPool {
  acquire(): Promise<Buffer>;
  release(buffer: Buffer): void;
}

/** How a pool is opened. */
export interface PeerPoolOptions {
  /** Buffers at most. */
  readonly size: number;
  /** Ms that one waits at most, where the pool knows such; `undefined`: for ever. */
  readonly timeoutMs?: number | undefined;
}

/** Whether a caller of this pool can stop waiting, by a time-out or a signal. */
export function canGiveUp(kind: PoolKind): boolean {
  return kind !== 'async-sema';
}

const OPENERS: Readonly<Record<PoolKind, (options: PeerPoolOptions) => PeerPool>> = {
  '@logloft/bufferpool': openOurs,
  'generic-pool': openGenericPool,
  'async-sema': openSema,
  'lightning-pool': openLightningPool,
};

/** Opens a pool. */
export function openPool(kind: PoolKind, options: PeerPoolOptions): PeerPool {
  return OPENERS[kind](options);
}

function openOurs({ size, timeoutMs = Number.POSITIVE_INFINITY }: PeerPoolOptions): PeerPool {
  const pool = new BufferPool(
    { totalBytes: size * POOLED_BYTES, poolableBytes: POOLED_BYTES },
    { clock: systemClock },
  );
  const options = { maxBlockMs: timeoutMs };
  return {
    acquire: () => pool.allocate(POOLED_BYTES, options),
    release: (buffer) => pool.deallocate(buffer),
  };
}

function openGenericPool({ size, timeoutMs }: PeerPoolOptions): PeerPool {
  const pool = createPool<Buffer>(
    {
      create: async () => Buffer.allocUnsafeSlow(POOLED_BYTES),
      destroy: async () => undefined,
    },
    { max: size, ...(timeoutMs === undefined ? {} : { acquireTimeoutMillis: timeoutMs }) },
  );
  return {
    acquire: () => pool.acquire(),
    release: (buffer) => void pool.release(buffer),
  };
}

function openSema({ size }: PeerPoolOptions): PeerPool {
  const sema = new Sema(size, { initFn: () => Buffer.allocUnsafeSlow(POOLED_BYTES) });
  return {
    acquire: () => sema.acquire(),
    release: (buffer) => sema.release(buffer),
  };
}

function openLightningPool({ size, timeoutMs = 0 }: PeerPoolOptions): PeerPool {
  const pool = new Pool<Buffer>(
    { create: () => Buffer.allocUnsafeSlow(POOLED_BYTES), destroy: () => undefined },
    // Its default time-out is 0: none.
    { max: size, maxQueue: Number.MAX_SAFE_INTEGER, acquireTimeoutMillis: timeoutMs },
  );
  return {
    acquire: () => pool.acquire(),
    release: (buffer) => pool.release(buffer),
  };
}
