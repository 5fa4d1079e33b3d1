import type { ObjectStoreFactory, PluginOptions } from '@logloft/remote-storage';
import { createObjectStore as createAzureStore } from '@logloft/remote-storage-azure';
import { createObjectStore as createGcsStore } from '@logloft/remote-storage-gcs';
import { createObjectStore as createS3Store } from '@logloft/remote-storage-s3';

/** An adapter whose uploads have parts of a given size, and memory for one of them. */
export interface SinglePartAdapter {
  readonly name: string;
  readonly create: ObjectStoreFactory;
  readonly optionsAt: (url: string, partBytes: number) => PluginOptions;
}

const KEY = Buffer.alloc(64, 1).toString('base64');

/** All adapters across a network, each without a server of its own. */
export const ADAPTERS: readonly SinglePartAdapter[] = [
  {
    name: 's3',
    create: createS3Store,
    optionsAt: (url, partBytes) => ({
      's3.bucket.name': 'loft',
      's3.region': 'us-east-1',
      's3.endpoint.url': url,
      's3.path.style.access.enabled': 'true',
      's3.multipart.upload.part.size': String(partBytes),
      's3.upload.memory.bytes': String(partBytes),
      's3.retry.max.attempts': '1',
      'aws.access.key.id': 'loft-key',
      'aws.secret.access.key': 'loft-secret',
    }),
  },
  {
    name: 'gcs',
    create: createGcsStore,
    optionsAt: (url, partBytes) => ({
      'gcs.bucket.name': 'loft',
      'gcs.endpoint.url': url,
      'gcs.resumable.upload.chunk.size': String(partBytes),
      'gcs.upload.memory.size': String(partBytes),
    }),
  },
  {
    name: 'azure',
    create: createAzureStore,
    optionsAt: (url, partBytes) => ({
      'azure.container.name': 'loft',
      'azure.account.name': 'loft',
      'azure.account.key': KEY,
      'azure.endpoint.url': `${url}/loft`,
      'azure.upload.block.size': String(partBytes),
      'azure.upload.memory.bytes': String(partBytes),
      'azure.retry.max.attempts': '1',
    }),
  },
];
