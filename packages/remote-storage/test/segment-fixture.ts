import { ManualClock, seededRandom } from '@logloft/clock';
import {
  type GuardedObjectStoreContext,
  type LogSegmentData,
  memorySource,
  type RemoteLogSegmentMetadata,
} from '../src/index.ts';

export const LOG: Uint8Array = seededRandom(1).fill(new Uint8Array(10_000));

export const SEGMENT: RemoteLogSegmentMetadata = {
  remoteLogSegmentId: {
    topicIdPartition: { topicId: 'lZ6vvmajTWKDBUTV6SQAtQ', topic: 'topic1', partition: 42 },
    id: 'adh9f8BMS4anaUnD8KWfWg',
  },
  startOffset: 1234,
  endOffset: 2000,
  maxTimestampMs: 1_000_000_000,
  brokerId: 2,
  eventTimestampMs: 2_000_000_000,
  segmentSizeInBytes: LOG.byteLength,
  state: 'COPY_SEGMENT_STARTED',
  segmentLeaderEpochs: [{ epoch: 0, startOffset: 1234 }],
  txnIdxEmpty: false,
};

export const MAIN_PATH =
  'topic1-lZ6vvmajTWKDBUTV6SQAtQ/42/00000000000000001234-adh9f8BMS4anaUnD8KWfWg';

export const DATA: LogSegmentData = {
  log: memorySource(LOG),
  offsetIndex: memorySource(Uint8Array.of(1, 1)),
  timeIndex: memorySource(Uint8Array.of(2, 2, 2)),
  producerSnapshot: memorySource(Uint8Array.of(3, 3, 3, 3)),
  leaderEpochIndex: new TextEncoder().encode('0\n1\n0 1234\n'),
  transactionIndex: memorySource(Uint8Array.of(5)),
};

/** A context with a clock moved by hand. */
export function manualContext(): GuardedObjectStoreContext & {
  readonly clock: ManualClock;
  readonly warnings: string[];
} {
  const warnings: string[] = [];
  const silent = (): void => undefined;
  return {
    clock: new ManualClock(),
    random: seededRandom(1),
    warnings,
    logger: {
      debug: silent,
      info: silent,
      warn: (message) => void warnings.push(message),
      error: silent,
    },
  };
}
