import type {
  CustomMetadata,
  Pacer,
  RemoteLogSegmentMetadata,
  SegmentSource,
} from '@logloft/remote-storage';
import { RemoteLogError } from '../errors.ts';
import { deleteSegment } from '../expire/delete-segment.ts';
import { segmentLeaderEpochs } from '../lineage/leader-epochs.ts';
import { randomUuid } from '../metadata/uuid.ts';
import type {
  LocalSegmentView,
  PartitionLogView,
  SegmentDataLease,
} from '../partition-log-view.ts';
import { callPlugin, type PluginCall } from '../plugin-call.ts';
import type { FlightMark } from '../segments-in-flight.ts';
import type { TieringContext } from '../tiering-context.ts';

const OFFSET_INDEX_ENTRY_BYTES = 8;
const TIME_INDEX_ENTRY_BYTES = 12;

/** One copy of one segment. */
export interface CopyRequest {
  readonly log: PartitionLogView;
  readonly segment: LocalSegmentView;
  readonly signal: AbortSignal;
  readonly pacer?: Pacer | undefined;
  /** Called with bytes that went to the store since the last call of it. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/**
 * Copies a segment: COPY_SEGMENT_STARTED, the objects, COPY_SEGMENT_FINISHED, each durable before the
 * next. A copy that fails is removed again at once; if that fails, too, expiration does it later. One
 * that was aborted is left as a crash would leave it.
 *
 * @returns the finished segment
 * @throws what the plugin, the log or the metadata log throws; RemoteLogError
 *   `LOGLOFT_RLM_CORRUPT_SEGMENT`, `LOGLOFT_RLM_CUSTOM_METADATA_TOO_LARGE`, `LOGLOFT_RLM_STORE_TIMEOUT`
 */
export async function copySegment(
  context: TieringContext,
  request: CopyRequest,
): Promise<RemoteLogSegmentMetadata> {
  const started = startedMetadata(context, request);
  const lease = await request.segment.acquireData();
  const mark = context.inFlight.begin(started.remoteLogSegmentId.id);
  let call: PluginCall<CustomMetadata | undefined> | undefined;
  try {
    request.signal.throwIfAborted();
    checkParts(request.segment, lease);
    await context.metadata.addRemoteLogSegmentMetadata(started, request);
    context.metrics.mark('copyRequests', request.log.topicIdPartition.topic);
    call = upload(context, request, started, lease);
    const uploaded = await uploadedOrTakenBack(context, started, call, request.signal);
    return await finish(context, uploaded, request.signal, mark);
  } finally {
    if (call === undefined || call.isSettled()) {
      lease.release();
      if (context.inFlight.stateOf(started.remoteLogSegmentId.id) === 'working') mark.end();
    } else {
      // The call was given up and may still read the files and write objects.
      mark.abandon();
      void call.settled.then(() => {
        lease.release();
        mark.end();
      });
    }
  }
}

function startedMetadata(context: TieringContext, request: CopyRequest): RemoteLogSegmentMetadata {
  const { log, segment } = request;
  const epochs = segmentLeaderEpochs(log.leaderEpochs, segment.baseOffset, segment.nextOffset);
  if (epochs.length === 0) {
    throw new RemoteLogError(
      'LOGLOFT_RLM_CORRUPT_SEGMENT',
      `The leader epochs of the log do not reach back to offset ${segment.baseOffset}, so the segment cannot be copied`,
    );
  }
  return {
    remoteLogSegmentId: {
      topicIdPartition: log.topicIdPartition,
      id: randomUuid(context.random),
    },
    startOffset: segment.baseOffset,
    endOffset: segment.nextOffset - 1,
    maxTimestampMs: segment.maxTimestampMs,
    brokerId: context.brokerId,
    eventTimestampMs: context.clock.now(),
    segmentSizeInBytes: segment.sizeInBytes,
    customMetadata: undefined,
    state: 'COPY_SEGMENT_STARTED',
    segmentLeaderEpochs: epochs,
    txnIdxEmpty: !segment.hasTransactionIndex,
  };
}

function upload(
  context: TieringContext,
  request: CopyRequest,
  started: RemoteLogSegmentMetadata,
  lease: SegmentDataLease,
): PluginCall<CustomMetadata | undefined> {
  return callPlugin(
    {
      clock: context.clock,
      what: `copy of segment ${started.remoteLogSegmentId.id}`,
      stallTimeoutMs: context.options.copyStallTimeoutMs,
      signal: request.signal,
      pacer: request.pacer,
      onProgress: request.onProgress,
    },
    (callOptions) => context.store.copyLogSegmentData(started, lease.data, callOptions),
  );
}

async function uploadedOrTakenBack(
  context: TieringContext,
  started: RemoteLogSegmentMetadata,
  call: PluginCall<CustomMetadata | undefined>,
  signal: AbortSignal,
): Promise<RemoteLogSegmentMetadata> {
  let uploaded = started;
  try {
    uploaded = { ...started, customMetadata: await call.result };
    checkCustomMetadata(uploaded.customMetadata, context.options.customMetadataMaxBytes);
    return uploaded;
  } catch (error) {
    if (!signal.aborted && call.isSettled()) await takeBack(context, uploaded, error, signal);
    throw error;
  }
}

async function finish(
  context: TieringContext,
  uploaded: RemoteLogSegmentMetadata,
  signal: AbortSignal,
  mark: FlightMark,
): Promise<RemoteLogSegmentMetadata> {
  const { remoteLogSegmentId, customMetadata } = uploaded;
  const update = {
    remoteLogSegmentId,
    brokerId: context.brokerId,
    eventTimestampMs: context.clock.now(),
    customMetadata,
    state: 'COPY_SEGMENT_FINISHED' as const,
  };
  try {
    await context.metadata.updateRemoteLogSegmentMetadata(update, { signal });
  } catch (error) {
    // The event may be stored yet. If the segment were deleted now, a later reader of the log would
    // see a finished copy for a moment, and could let go of the local one.
    mark.abandon();
    throw error;
  }
  return { ...uploaded, ...update };
}

async function takeBack(
  context: TieringContext,
  segment: RemoteLogSegmentMetadata,
  cause: unknown,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deleteSegment(context, segment, signal);
  } catch (error) {
    if (signal.aborted) return;
    context.logger.warn('What a failed copy left in the store is removed later', {
      segment: segment.remoteLogSegmentId.id,
      cause,
      error,
    });
  }
}

function checkCustomMetadata(custom: CustomMetadata | undefined, maxBytes: number): void {
  if (custom === undefined || custom.length <= maxBytes) return;
  throw new RemoteLogError(
    'LOGLOFT_RLM_CUSTOM_METADATA_TOO_LARGE',
    `The plugin returned ${custom.length} bytes of custom metadata, at most ${maxBytes} are allowed (remote.log.metadata.custom.metadata.max.bytes)`,
  );
}

/** A segment with a damaged part must not become the only copy (KAFKA-15401). */
function checkParts(segment: LocalSegmentView, lease: SegmentDataLease): void {
  const { log, offsetIndex, timeIndex } = lease.data;
  const fault =
    sizeFault('log', log, segment.sizeInBytes) ??
    entryFault('offset index', offsetIndex, OFFSET_INDEX_ENTRY_BYTES) ??
    entryFault('time index', timeIndex, TIME_INDEX_ENTRY_BYTES);
  if (fault === undefined) return;
  throw new RemoteLogError(
    'LOGLOFT_RLM_CORRUPT_SEGMENT',
    `The segment from offset ${segment.baseOffset} is damaged and is not copied: ${fault}`,
  );
}

function sizeFault(part: string, source: SegmentSource, expected: number): string | undefined {
  if (source.size === expected) return undefined;
  return `its ${part} has ${source.size} bytes, ${expected} are expected`;
}

function entryFault(part: string, source: SegmentSource, entryBytes: number): string | undefined {
  if (source.size % entryBytes === 0) return undefined;
  return `its ${part} of ${source.size} bytes is not made of entries of ${entryBytes} bytes`;
}
