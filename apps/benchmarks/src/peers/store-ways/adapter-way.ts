import { systemClock, systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import {
  fileSource,
  memorySource,
  openRemoteStorage,
  type PluginModule,
  type RemoteLogSegmentMetadata,
} from '@logloft/remote-storage';
import { createObjectStore as createAzureStore } from '@logloft/remote-storage-azure';
import { createObjectStore as createGcsStore } from '@logloft/remote-storage-gcs';
import { createObjectStore as createS3Store } from '@logloft/remote-storage-s3';
import type { Dialect } from '../null-store/route.ts';
import { drain, type StorePlace, type StoreWay } from './store-way.ts';

/** Kafka's clients ask for so much of a partition by default, and a broker for as much of a segment. */
const READ_BYTES = 1024 * 1024;

const MODULES: Readonly<Record<Dialect, PluginModule>> = {
  s3: { createObjectStore: createS3Store },
  gcs: { createObjectStore: createGcsStore },
  azure: { createObjectStore: createAzureStore },
};

/** Options as in the properties of a broker, without `rsm.config.`. */
function optionsFor({ dialect, port }: StorePlace): Readonly<Record<string, string>> {
  const endpoint = `http://127.0.0.1:${port}`;
  switch (dialect) {
    case 's3':
      return {
        'storage.s3.bucket.name': 'bucket',
        'storage.s3.region': 'us-east-1',
        'storage.s3.endpoint.url': endpoint,
        'storage.s3.path.style.access.enabled': 'true',
        'storage.aws.access.key.id': 'key',
        'storage.aws.secret.access.key': 'secret',
      };
    case 'gcs':
      return { 'storage.gcs.bucket.name': 'bucket', 'storage.gcs.endpoint.url': endpoint };
    case 'azure':
      return {
        'storage.azure.container.name': 'container',
        'storage.azure.account.name': 'devstoreaccount1',
        'storage.azure.account.key': Buffer.alloc(64, 1).toString('base64'),
        'storage.azure.endpoint.url': `${endpoint}/devstoreaccount1`,
      };
  }
}

/** The layout over an adapter of this repository, with its defaults. */
export async function openAdapterWay(place: StorePlace): Promise<StoreWay> {
  const clock = systemClock;
  const metrics = new MetricsRegistry({ clock });
  const nothing = (): void => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const context = { clock, random: systemRandom, logger, metrics, brokerId: 0 };
  // Looking for unfinished uploads at the start is no part of a copy.
  const options = { ...optionsFor(place), 'unfinished.uploads.max.age.ms': '0' };
  const manager = await openRemoteStorage(MODULES[place.dialect], options, context);
  const none = memorySource(new Uint8Array(0));
  const copy = async (file: string, bytes: number): Promise<void> => {
    await manager.copyLogSegmentData(segmentOf(bytes), {
      log: await fileSource(file, { size: bytes }),
      offsetIndex: memorySource(new Uint8Array(8_000)),
      timeIndex: memorySource(new Uint8Array(12_000)),
      producerSnapshot: none,
      leaderEpochIndex: new TextEncoder().encode('0\n1\n0 0\n'),
    });
  };
  return {
    copy,
    read: async (bytes) => {
      const segment = segmentOf(bytes);
      for (let start = 0; start < bytes; start += READ_BYTES) {
        const end = Math.min(start + READ_BYTES, bytes) - 1;
        await drain(await manager.fetchLogSegment(segment, { start, end }), end - start + 1);
      }
    },
    close: async () => {
      await manager[Symbol.asyncDispose]();
      await metrics.close();
    },
  };
}

function segmentOf(bytes: number): RemoteLogSegmentMetadata {
  return {
    remoteLogSegmentId: {
      topicIdPartition: { topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', topic: 'bench', partition: 0 },
      id: `${String(bytes).padStart(21, 'A')}Q`,
    },
    startOffset: 0,
    endOffset: 999,
    maxTimestampMs: 0,
    brokerId: 0,
    eventTimestampMs: 0,
    segmentSizeInBytes: bytes,
    state: 'COPY_SEGMENT_STARTED',
    segmentLeaderEpochs: [{ epoch: 0, startOffset: 0 }],
    txnIdxEmpty: true,
  };
}
