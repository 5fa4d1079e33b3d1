import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { callPlugin } from '../plugin-call.ts';
import type { TieringContext } from '../tiering-context.ts';

/**
 * Removes a segment from the remote tier: DELETE_SEGMENT_STARTED, the objects, DELETE_SEGMENT_FINISHED.
 * When it fails, or the process ends, the catalogue holds what is left to do.
 *
 * @throws what the plugin or the metadata log throws; the reason of `signal`
 */
export async function deleteSegment(
  context: TieringContext,
  segment: RemoteLogSegmentMetadata,
  signal?: AbortSignal,
): Promise<void> {
  const { clock, metadata, metrics, options, brokerId } = context;
  const { remoteLogSegmentId, customMetadata } = segment;
  const { topic } = remoteLogSegmentId.topicIdPartition;
  const update = (state: 'DELETE_SEGMENT_STARTED' | 'DELETE_SEGMENT_FINISHED'): Promise<void> =>
    metadata.updateRemoteLogSegmentMetadata(
      { remoteLogSegmentId, brokerId, eventTimestampMs: clock.now(), customMetadata, state },
      { signal },
    );

  if (segment.state !== 'DELETE_SEGMENT_STARTED') await update('DELETE_SEGMENT_STARTED');
  metrics.mark('deleteRequests', topic);
  const call = callPlugin(
    {
      clock,
      signal,
      what: `deletion of segment ${remoteLogSegmentId.id}`,
      stallTimeoutMs: options.deleteTimeoutMs,
    },
    (callOptions) =>
      context.store.deleteLogSegmentData(
        { ...segment, state: 'DELETE_SEGMENT_STARTED' },
        callOptions,
      ),
  );
  try {
    await call.result;
  } catch (error) {
    if (signal?.aborted !== true) metrics.mark('deleteErrors', topic);
    throw error;
  }
  context.onSegmentDeleted(segment);
  await update('DELETE_SEGMENT_FINISHED');
}
