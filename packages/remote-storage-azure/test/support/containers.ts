import { randomUUID } from 'node:crypto';
import {
  BlobServiceClient,
  type ContainerClient,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type Clock, seededRandom, systemClock } from '@logloft/clock';
import {
  AzureObjectStore,
  type AzureObjectStoreContext,
  type AzureObjectStoreSettings,
} from '../../src/index.ts';
import { ACCOUNT, ACCOUNT_KEY, type Azurite } from './azurite.ts';

/** A client of the SDK with its defaults, for looking at what the store did. */
export function plainClient(endpoint: string): BlobServiceClient {
  return new BlobServiceClient(endpoint, new StorageSharedKeyCredential(ACCOUNT, ACCOUNT_KEY));
}

/** A container that nobody else uses. */
export async function freshContainer({ endpoint }: Azurite): Promise<ContainerClient> {
  const container = plainClient(endpoint).getContainerClient(`test-${randomUUID()}`);
  await container.create();
  return container;
}

/** What a store needs around it; its log goes nowhere. */
export function silentContext(clock: Clock = systemClock): AzureObjectStoreContext {
  const ignore = (): void => undefined;
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return { clock, random: seededRandom(1), logger };
}

/** Opens a store by account name and key, by the clock of this machine. */
export async function openStore(
  settings: Pick<AzureObjectStoreSettings, 'container' | 'endpoint'> &
    Partial<AzureObjectStoreSettings>,
  clock: Clock = systemClock,
): Promise<AzureObjectStore> {
  const all = { accountName: ACCOUNT, accountKey: ACCOUNT_KEY, ...settings };
  return await AzureObjectStore.open(all, silentContext(clock));
}
