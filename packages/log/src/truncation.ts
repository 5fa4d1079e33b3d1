import { join } from 'node:path';
import { lastOffsetOf } from '@logloft/records';
import { LogOffsetOutOfRangeError } from './errors.ts';
import type { LogFlusher } from './flush/log-flusher.ts';
import { HeaderScan } from './header-scan.ts';
import type { LeaderEpoch } from './leader-epochs.ts';
import { LogSegment } from './log-segment.ts';
import type { LogState } from './log-state.ts';
import { producersAt } from './producer/rebuild-snapshot.ts';
import { parseSegmentFileName, segmentFileName } from './segment-files.ts';

/** Where a log is to begin anew, and what is known of it before. */
export interface StartAtOptions {
  /** First offset of the whole log, where an earlier part is remote. Default: where it begins. */
  readonly logStartOffset?: number | undefined;
  /** The epochs of what lies before. Default: none. */
  readonly leaderEpochs?: readonly LeaderEpoch[] | undefined;
  /** Kafka's producer snapshot at that offset. Default: no producers. */
  readonly producerSnapshot?: Buffer | undefined;
}

/**
 * Cuts everything from `offset` on off. A batch that holds it goes whole.
 *
 * @throws LogOffsetOutOfRangeError when `offset` is below the first local one
 */
export async function truncateLog(
  state: LogState,
  flusher: LogFlusher,
  offset: number,
): Promise<void> {
  if (offset >= state.logEndOffset) return;
  const first = state.segments.first?.baseOffset ?? 0;
  if (!(offset >= first)) {
    throw new LogOffsetOutOfRangeError(
      `${state.name} cannot be cut at offset ${offset}; its first local segment begins at ${first}`,
      { partition: state.name },
    );
  }
  await flusher.exclusively(async () => {
    const index = state.segments.floorIndex(offset);
    state.runtime.disposal.dispose(state.segments.removeFrom(index + 1), 0);
    const { active } = state;
    const position = await positionOf(active, offset);
    const cutAt = position.offset;
    await active.truncate(position.position, cutAt);
    setEnd(state, flusher, cutAt);
    state.epochs.truncateFromEnd(cutAt);
    await reloadProducers(state, cutAt);
    // Else a power cut could bring segments back, behind what is appended and synced from now on.
    await state.runtime.fs.syncDirectory(state.directory);
    await state.runtime.checkpointRecoveryPoints();
  });
  state.notify('truncate');
}

/** Removes everything and begins, empty, at `offset`. */
export async function startLogAt(
  state: LogState,
  flusher: LogFlusher,
  offset: number,
  options: StartAtOptions,
): Promise<void> {
  const { runtime, directory, producers } = state;
  await flusher.exclusively(async () => {
    // The state first: a damaged snapshot must leave everything as it is.
    producers.load(options.producerSnapshot, runtime.clock.now());
    runtime.disposal.dispose(state.segments.removeFrom(0), 0);
    const createdMs = runtime.clock.now();
    const { fs } = runtime;
    state.segments.add(LogSegment.create({ fs, directory, baseOffset: offset, createdMs }));
    state.epochs.reset(options.leaderEpochs ?? []);
    state.logStartOffset = options.logStartOffset ?? offset;
    state.localLogStartOffset = offset;
    state.recoveryPoint = Math.min(state.recoveryPoint, offset);
    setEnd(state, flusher, offset);
    await fs.writeFile(join(directory, segmentFileName(offset, 'snapshot')), producers.snapshot());
    await fs.syncDirectory(directory);
    await runtime.checkpointRecoveryPoints();
  });
  state.notify('truncate');
}

function setEnd(state: LogState, flusher: LogFlusher, offset: number): void {
  const { active } = state;
  state.logEndOffset = offset;
  state.storedSnapshotOffset = -1;
  state.highWatermark = Math.min(state.highWatermark, offset);
  state.raiseHighWatermark(offset, active, active.size);
  state.recoveryPoint = Math.min(state.recoveryPoint, offset);
  state.logStartOffset = Math.min(state.logStartOffset, offset);
  state.localLogStartOffset = Math.min(state.localLogStartOffset, offset);
  flusher.onTruncate(offset);
}

/** Position and base offset of the first batch that reaches `offset`. */
async function positionOf(
  segment: LogSegment,
  offset: number,
): Promise<{ readonly position: number; readonly offset: number }> {
  const from = segment.offsetIndex.positionAtOrBefore(offset);
  const scan = new HeaderScan(await segment.open(), { from, end: segment.size });
  while (await scan.nextAsync()) {
    if (lastOffsetOf(scan.header) < offset) continue;
    return { position: scan.position, offset: scan.header.baseOffset };
  }
  return { position: segment.size, offset };
}

/** The producers as they were at `offset`; snapshots of what was cut are removed. */
async function reloadProducers(state: LogState, offset: number): Promise<void> {
  const { runtime, directory, producers } = state;
  const stale: string[] = [];
  for (const name of await runtime.fs.list(directory)) {
    const parsed = parseSegmentFileName(name);
    if (parsed?.kind === 'snapshot' && parsed.offset > offset) stale.push(join(directory, name));
  }
  runtime.disposal.disposeFiles(stale);
  producers.adopt(await producersAt(state, offset));
}
