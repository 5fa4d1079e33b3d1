import type { Clock, RandomSource } from '@logloft/clock';
import type {
  PluginLogger,
  RemoteLogSegmentMetadata,
  RemoteStorageManager,
} from '@logloft/remote-storage';
import type { RemoteLogMetadataManager } from './metadata/metadata-manager.ts';
import type { RemoteLogMetrics } from './metrics.ts';
import type { ResolvedOptions } from './options.ts';
import type { SegmentsInFlight } from './segments-in-flight.ts';

/** What everything in this package works with. */
export interface TieringContext {
  readonly brokerId: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: PluginLogger;
  readonly metrics: RemoteLogMetrics;
  readonly store: RemoteStorageManager;
  readonly metadata: RemoteLogMetadataManager;
  readonly inFlight: SegmentsInFlight;
  readonly options: ResolvedOptions;
  /** Called when a segment is gone from the store. */
  onSegmentDeleted(segment: RemoteLogSegmentMetadata): void;
}
