import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import type { RemoteLogMetadataManager } from '../metadata/metadata-manager.ts';
import type { PartitionLogView } from '../partition-log-view.ts';
import type { IndexCache } from './index-cache.ts';
import { type AbortedTransactions, abortedIn, offsetAtPosition } from './segment-indexes.ts';

/** Where to look for aborted transactions. */
export interface AbortedTransactionsRequest {
  readonly log: PartitionLogView;
  /** The segment that the records are from. */
  readonly segment: RemoteLogSegmentMetadata;
  /** First offset of interest. */
  readonly fromOffset: number;
  /** Byte position of the first batch that is returned, and bytes that are. */
  readonly position: number;
  readonly bytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The aborted transactions of the remote tier that overlap what a read returned. An abort is written in
 * the segment that has its marker, perhaps much later than the data: so later segments are looked at,
 * too, those whose transaction index is known to be empty excepted. When the answer is not complete, the
 * local segments' indexes have to be asked as well.
 */
export async function remoteAbortedTransactions(
  metadata: RemoteLogMetadataManager,
  indexes: IndexCache,
  request: AbortedTransactionsRequest,
): Promise<AbortedTransactions & { readonly upperBound: number }> {
  const { log, segment, fromOffset, signal } = request;
  const offsets = await indexes.get(segment, 'OFFSET', signal);
  const end = request.position + request.bytes;
  const upperBound = offsetAtPosition(offsets, segment.startOffset, end) ?? segment.endOffset + 1;
  const transactions = [];
  for (const later of segmentsWithTxnIndex(metadata, log, segment)) {
    const index = await indexes.get(later, 'TRANSACTION', signal);
    const found = abortedIn(index, fromOffset, upperBound);
    transactions.push(...found.transactions);
    if (found.complete) return { transactions, complete: true, upperBound };
  }
  return { transactions, complete: false, upperBound };
}

/** This segment and those after it, in order, as far as they may have aborted transactions. */
function* segmentsWithTxnIndex(
  metadata: RemoteLogMetadataManager,
  log: PartitionLogView,
  first: RemoteLogSegmentMetadata,
): Generator<RemoteLogSegmentMetadata> {
  if (!first.txnIdxEmpty) yield first;
  const partition = log.topicIdPartition;
  let offset = first.endOffset + 1;
  for (const [at, { epoch }] of log.leaderEpochs.entries()) {
    const epochEnd = log.leaderEpochs[at + 1]?.startOffset ?? Number.POSITIVE_INFINITY;
    while (offset < epochEnd) {
      const next = metadata.nextSegmentWithTxnIndex(partition, epoch, offset);
      if (next === undefined) break;
      yield next;
      offset = next.endOffset + 1;
    }
  }
}
