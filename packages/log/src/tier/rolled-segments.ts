import { join } from 'node:path';
import { LogClosedError, LogCorruptError } from '../errors.ts';
import type { LogFlusher } from '../flush/log-flusher.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { parseProducerSnapshot } from '../producer/producer-snapshot.ts';
import { rebuildProducerSnapshot } from '../producer/rebuild-snapshot.ts';
import { segmentFileName } from '../segment-files.ts';
import type { RolledSegment, RolledSegmentData, SegmentDataLease } from './rolled-segment.ts';
import { bytesSource, logSource } from './segment-source.ts';

/** The segments before the active one, the oldest first. */
export function rolledSegmentsOf(state: LogState, flusher: LogFlusher): RolledSegment[] {
  const { segments, epochs } = state;
  const rolled: RolledSegment[] = [];
  for (let index = 0; index < segments.count - 1; index += 1) {
    const segment = segments.at(index);
    if (segment === undefined) continue;
    const nextOffset = segments.nextOffset(index, state.logEndOffset);
    rolled.push({
      baseOffset: segment.baseOffset,
      nextOffset,
      sizeInBytes: segment.size,
      maxTimestamp: segment.maxTimestamp,
      leaderEpochs: epochs.entriesInRange(segment.baseOffset, nextOffset),
      hasTransactionIndex: segment.transactionIndex.count > 0,
      lease: () => leaseSegment(state, flusher, { segment, nextOffset }),
    });
  }
  return rolled;
}

interface Leased {
  readonly segment: LogSegment;
  readonly nextOffset: number;
}

async function leaseSegment(
  state: LogState,
  flusher: LogFlusher,
  leased: Leased,
): Promise<SegmentDataLease> {
  const { segment } = leased;
  segment.acquire();
  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    segment.release();
  };
  try {
    // The index files of a segment that has just rolled are written in the background.
    if (!segment.indexesStored) await flusher.flush();
    return { data: await dataOf(state, leased), release };
  } catch (error) {
    release();
    throw error;
  }
}

async function dataOf(state: LogState, leased: Leased): Promise<RolledSegmentData> {
  const { segment, nextOffset } = leased;
  const { fs } = state.runtime;
  const pathOf = (path: string): string | undefined => (fs.persistent ? path : undefined);
  if (segment.isRetired) throw new LogClosedError(`${segment.path('log')} was removed`);
  checkIndexes(segment);
  const hasTransactions = segment.transactionIndex.count > 0;
  return {
    log: logSource(segment, pathOf(segment.path('log'))),
    offsetIndex: bytesSource(segment.offsetIndex.bytes(), pathOf(segment.path('index'))),
    timeIndex: bytesSource(segment.timeIndex.bytes(), pathOf(segment.path('timeindex'))),
    transactionIndex: hasTransactions
      ? bytesSource(segment.transactionIndex.bytes(), pathOf(segment.path('txnindex')))
      : undefined,
    producerSnapshot: await snapshotSource(state, nextOffset),
    leaderEpochIndex: Buffer.from(state.epochs.print(nextOffset)),
  };
}

/** Refuses a segment whose indexes would mislead whoever reads it from the remote tier. */
function checkIndexes(segment: LogSegment): void {
  const last = segment.offsetIndex.last();
  const isSound =
    !segment.indexDamaged &&
    last.position < Math.max(1, segment.size) &&
    segment.timeIndex.lastTimestamp() >= segment.maxTimestamp;
  if (isSound) return;
  throw new LogCorruptError(
    `An index of ${segment.path('log')} does not fit its ${segment.size} bytes; restart to build it anew`,
  );
}

/** The stored snapshot; one that is missing or damaged is made from the batches. */
async function snapshotSource(
  state: LogState,
  nextOffset: number,
): Promise<RolledSegmentData['producerSnapshot']> {
  const { fs } = state.runtime;
  const path = join(state.directory, segmentFileName(nextOffset, 'snapshot'));
  const stored = fs.readFileSync(path);
  if (stored !== undefined && isSnapshot(stored)) {
    return bytesSource(stored, fs.persistent ? path : undefined);
  }
  return bytesSource(await rebuildProducerSnapshot(state, nextOffset));
}

function isSnapshot(bytes: Buffer): boolean {
  try {
    parseProducerSnapshot(bytes);
    return true;
  } catch (error) {
    if (error instanceof LogCorruptError) return false;
    throw error;
  }
}
