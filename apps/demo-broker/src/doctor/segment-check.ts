import type { RandomSource } from '@logloft/clock';
import {
  collectBytes,
  memorySource,
  type RemoteLogSegmentMetadata,
  RemoteStorageError,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import type { Success } from './finding.ts';

const LOG_BYTES = 100_000;

/**
 * Copies a small segment through all that is configured, layout, compression and encryption
 * included, reads it back, and removes it.
 */
export async function copySegment(
  manager: RemoteStorageManager,
  { random, signal }: { readonly random: RandomSource; readonly signal: AbortSignal },
): Promise<Success> {
  const log = random.fill(new Uint8Array(LOG_BYTES));
  const segment = segmentOf(random);
  const none = memorySource(new Uint8Array(0));
  const customMetadata = await manager.copyLogSegmentData(
    segment,
    {
      log: memorySource(log),
      offsetIndex: memorySource(log.subarray(0, 80)),
      timeIndex: memorySource(log.subarray(0, 120)),
      producerSnapshot: none,
      leaderEpochIndex: new TextEncoder().encode('0\n1\n0 0\n'),
    },
    { signal },
  );
  const copied = { ...segment, customMetadata };
  try {
    const pieces = await manager.fetchLogSegment(copied, { start: 0 }, { signal });
    assertSame(await collectBytes(pieces, LOG_BYTES), log);
    assertSame(await manager.fetchIndex(copied, 'TIMESTAMP', { signal }), log.subarray(0, 120));
  } finally {
    await manager.deleteLogSegmentData(copied);
  }
  return { detail: `copied, read back and deleted, ${LOG_BYTES} bytes` };
}

function segmentOf(random: RandomSource): RemoteLogSegmentMetadata {
  const uuid = (): string => Buffer.from(random.fill(new Uint8Array(16))).toString('base64url');
  return {
    remoteLogSegmentId: {
      topicIdPartition: { topicId: uuid(), topic: 'logloft-doctor', partition: 0 },
      id: uuid(),
    },
    startOffset: 0,
    endOffset: 99,
    maxTimestampMs: -1,
    brokerId: 0,
    eventTimestampMs: 0,
    segmentSizeInBytes: LOG_BYTES,
    state: 'COPY_SEGMENT_STARTED',
    segmentLeaderEpochs: [{ epoch: 0, startOffset: 0 }],
    txnIdxEmpty: true,
  };
}

function assertSame(found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(found, expected) === 0) return;
  throw new RemoteStorageError('corrupt', 'The segment came back changed');
}
