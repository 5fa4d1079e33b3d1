import type { ContainerClient } from '@azure/storage-blob';
import type { Clock } from '@logloft/clock';
import {
  type FaultProxy,
  type ProxyExchange,
  type ProxyRule,
  ruledProxyFaults,
  startFaultProxy,
} from '@logloft/remote-storage-testkit';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { AzureObjectStore, AzureObjectStoreSettings } from '../../src/index.ts';
import { ACCOUNT, type Azurite, startAzurite } from './azurite.ts';
import { freshContainer, openStore } from './containers.ts';

/** A store behind a proxy that breaks what it is told to break. */
export interface FaultyStore {
  readonly store: AzureObjectStore;
  /** The same container past the proxy, by the SDK with its defaults. */
  readonly container: ContainerClient;
  readonly proxy: FaultProxy;
  /** Breaks requests from now on. */
  breakWith(...rules: readonly ProxyRule[]): void;
  /** Requests so far, as `GET comp=list`, say, in the order of their arrival. */
  requests(): readonly string[];
}

/** Pauses so short that no test waits for them. */
export const QUICK_RETRIES = {
  maxAttempts: 3,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 1,
  maxRetryAfterMs: 30_000,
} as const;

/**
 * One server for the tests of a file.
 *
 * @returns opens a store with a container and a proxy of its own; they end with the test
 */
export function faultyAzurite(): (
  settings?: Partial<AzureObjectStoreSettings>,
  clock?: Clock,
) => Promise<FaultyStore> {
  let azurite: Azurite;
  const endings: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    azurite = await startAzurite();
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });
  afterAll(async () => {
    await azurite.close();
  });
  return async (settings = {}, clock) => {
    const proxy = await startFaultProxy({ target: azurite.endpoint });
    endings.push(() => proxy.close());
    const container = await freshContainer(azurite);
    endings.push(() => container.delete());
    const store = await openStore(
      {
        endpoint: `${proxy.url}/${ACCOUNT}`,
        container: container.containerName,
        retryPolicy: QUICK_RETRIES,
        ...settings,
      },
      clock,
    );
    endings.push(() => store.close());
    return {
      store,
      container,
      proxy,
      breakWith: (...rules) => proxy.use(ruledProxyFaults(rules)),
      requests: () => proxy.log.map(inShort),
    };
  };
}

function inShort({ method, path }: ProxyExchange): string {
  const comp = /[?&]comp=([a-z]+)/.exec(path)?.[1];
  return comp === undefined ? method : `${method} ${comp}`;
}
