import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { epochForOffset, withoutEmptyEpochs } from '../lineage/leader-epochs.ts';
import { isWithinLineage } from '../lineage/within-lineage.ts';
import type { LeaderEpochEntry, LocalSegmentView } from '../partition-log-view.ts';
import type { SlicedWork } from '../scheduling/in-slices.ts';
import { sortedInSlices } from '../scheduling/sorted-in-slices.ts';
import type { FlightState } from '../segments-in-flight.ts';

/** Why a remote segment is removed. */
type ExpireReason =
  /** A deletion that began and did not end. */
  | 'deletion-unfinished'
  /** A copy that began, and that nobody will end. */
  | 'copy-unfinished'
  /** All of it is below the log start offset. */
  | 'log-start'
  /** Its latest record is older than `retention.ms`. */
  | 'retention-time'
  /** Without it there are still `retention.bytes` left. */
  | 'retention-size'
  /** It belongs to epochs before the first that the leader knows. */
  | 'dead-epoch';

/** What the decision needs to know. */
export interface ExpireFacts {
  /** All remote segments that are not deleted, in any order. */
  readonly remote: readonly RemoteLogSegmentMetadata[];
  /** All local segments, ascending. */
  readonly local: readonly Pick<
    LocalSegmentView,
    'active' | 'baseOffset' | 'maxTimestampMs' | 'nextOffset' | 'sizeInBytes'
  >[];
  readonly lineage: readonly LeaderEpochEntry[];
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermark: number;
  /** Inclusive; -1 for none. Must be seeded from the catalogue. */
  readonly highestRemoteOffset: number;
  /** Negative: without limit. */
  readonly retentionMs: number;
  /** Negative: without limit. */
  readonly retentionBytes: number;
  /** Wall-clock ms. */
  readonly nowMs: number;
  /** This broker. Its own unfinished copies, if not in flight, are left from an earlier life. */
  readonly brokerId: number;
  /** Ms after which an unfinished copy of another broker counts as left over. */
  readonly danglingGraceMs: number;
  /** Whether, and how, this process worked on a segment at the moment of which `remote` is. */
  flightOf(segment: RemoteLogSegmentMetadata): FlightState | undefined;
}

/** What to do. */
export interface ExpirePlan {
  /** The log start offset to set before anything is deleted; never below the present one. */
  readonly logStartOffset: number;
  /** In this order; no segment twice. */
  readonly deletions: readonly {
    readonly segment: RemoteLogSegmentMetadata;
    readonly reason: ExpireReason;
  }[];
  /** Bytes of all finished segments, whether they count for the retention or not. */
  readonly finishedBytes: number;
}

/** Segments that are looked at before others get their turn: 1 to 5 ms. */
const SLICE = 1024;

/**
 * Decides what leaves the remote tier, and where the log begins then. Left-overs go whatever the
 * retention says. Then the segments of the leader's history are looked at from the oldest on, over both
 * tiers, and the first that stays ends the walk. Yields from time to time, and decides by `facts`
 * alone, whatever has changed meanwhile.
 */
export function expirableSegments(facts: ExpireFacts): SlicedWork<ExpirePlan> {
  return new ExpireWalk(facts).plan();
}

/** Segments of one epoch, as they were listed: as a rule in the order in which they were copied. */
interface EpochGroup {
  readonly segments: RemoteLogSegmentMetadata[];
  isAscending: boolean;
}

type Verdict = ExpireReason | 'skip' | 'stop';

class ExpireWalk {
  readonly #facts: ExpireFacts;
  readonly #lineage: readonly LeaderEpochEntry[];
  readonly #chosen = new Map<string, { segment: RemoteLogSegmentMetadata; reason: ExpireReason }>();
  readonly #byEpoch = new Map<number, EpochGroup>();
  readonly #deadEpochs: RemoteLogSegmentMetadata[] = [];
  /** Bytes above `retention.bytes`. */
  #excess = 0;
  #finishedBytes = 0;
  #logStart: number;
  #visits = 0;

  constructor(facts: ExpireFacts) {
    this.#facts = facts;
    this.#lineage = withoutEmptyEpochs(facts.lineage);
    this.#logStart = facts.logStartOffset;
  }

  *plan(): SlicedWork<ExpirePlan> {
    yield* this.#survey();
    if (yield* this.#walkRemote()) this.#walkLocal();
    for (const segment of this.#deadEpochs) {
      if (!this.#chosen.has(segment.remoteLogSegmentId.id)) this.#choose(segment, 'dead-epoch');
    }
    return {
      logStartOffset: this.#logStart,
      deletions: [...this.#chosen.values()],
      finishedBytes: this.#finishedBytes,
    };
  }

  /** Looks at each segment once, for all that does not depend on the others. */
  *#survey(): SlicedWork<void> {
    const { remote, retentionBytes } = this.#facts;
    let bytes = this.#localOnlyBytes();
    for (const segment of remote) {
      if (this.#isSliceOver()) yield;
      this.#chooseLeftOver(segment);
      this.#group(segment);
      if (segment.state !== 'COPY_SEGMENT_FINISHED') continue;
      this.#finishedBytes += segment.segmentSizeInBytes;
      if (this.#isDeadEpoch(segment)) this.#deadEpochs.push(segment);
      if (retentionBytes >= 0 && this.#counts(segment)) bytes += segment.segmentSizeInBytes;
    }
    if (retentionBytes >= 0) this.#excess = bytes - retentionBytes;
  }

  #isSliceOver(): boolean {
    this.#visits += 1;
    return this.#visits % SLICE === 0;
  }

  #group(segment: RemoteLogSegmentMetadata): void {
    for (const { epoch } of segment.segmentLeaderEpochs) {
      const group = this.#byEpoch.get(epoch);
      if (group === undefined) {
        this.#byEpoch.set(epoch, { segments: [segment], isAscending: true });
        continue;
      }
      const last = group.segments.at(-1);
      if (last !== undefined && last.startOffset > segment.startOffset) group.isAscending = false;
      group.segments.push(segment);
    }
  }

  #choose(segment: RemoteLogSegmentMetadata, reason: ExpireReason): void {
    this.#chosen.set(segment.remoteLogSegmentId.id, { segment, reason });
  }

  #chooseLeftOver(segment: RemoteLogSegmentMetadata): void {
    if (this.#facts.flightOf(segment) !== undefined) return;
    if (segment.state === 'DELETE_SEGMENT_STARTED') this.#choose(segment, 'deletion-unfinished');
    if (segment.state === 'COPY_SEGMENT_STARTED' && this.#isLeftOver(segment)) {
      this.#choose(segment, 'copy-unfinished');
    }
  }

  #isLeftOver(segment: RemoteLogSegmentMetadata): boolean {
    const { brokerId, danglingGraceMs, nowMs } = this.#facts;
    return segment.brokerId === brokerId || nowMs - segment.eventTimestampMs > danglingGraceMs;
  }

  /** @returns whether everything remote of the leader's history goes */
  *#walkRemote(): SlicedWork<boolean> {
    const seen = new Set<RemoteLogSegmentMetadata>();
    for (const { epoch } of this.#lineage) {
      for (const segment of yield* this.#ascending(epoch)) {
        if (this.#isSliceOver()) yield;
        if (seen.has(segment)) continue;
        seen.add(segment);
        const verdict = this.#judge(segment);
        if (verdict === 'stop') return false;
        if (verdict !== 'skip') this.#choose(segment, verdict);
      }
    }
    return true;
  }

  /** The segments of an epoch by start offset; one that spans epochs is in each of them. */
  *#ascending(epoch: number): SlicedWork<readonly RemoteLogSegmentMetadata[]> {
    const group = this.#byEpoch.get(epoch);
    if (group === undefined || group.isAscending) return group?.segments ?? [];
    return yield* sortedInSlices(group.segments, ({ startOffset }) => startOffset, SLICE);
  }

  #judge(segment: RemoteLogSegmentMetadata): Verdict {
    const flight = this.#facts.flightOf(segment);
    if (flight === 'working') return 'stop';
    if (flight === 'abandoned' || segment.state !== 'COPY_SEGMENT_FINISHED') return 'skip';
    if (this.#isBelowLogStart(segment)) return 'log-start';
    if (!isWithinLineage(segment, this.#facts.lineage, this.#facts.logEndOffset)) return 'skip';
    const reason = this.#retentionReason({
      timestampMs: retentionTimestamp(segment),
      bytes: segment.segmentSizeInBytes,
    });
    if (reason === undefined) return 'stop';
    // Overlapping segments of two leaders must not move it back (KAFKA-16890).
    this.#logStart = Math.max(this.#logStart, segment.endOffset + 1);
    return reason;
  }

  #isBelowLogStart(segment: RemoteLogSegmentMetadata): boolean {
    const { logStartOffset } = this.#facts;
    const epoch = epochForOffset(this.#lineage, logStartOffset) ?? this.#lineage[0]?.epoch;
    return (
      epoch !== undefined &&
      segment.endOffset < logStartOffset &&
      segment.segmentLeaderEpochs.every((entry) => entry.epoch <= epoch)
    );
  }

  /**
   * Goes on where the remote tier ends: during a long outage of the store, segments that were never
   * copied expire like all others and need not be copied any more (KAFKA-19952).
   */
  #walkLocal(): void {
    const { local, highestRemoteOffset, highWatermark } = this.#facts;
    for (const segment of local) {
      if (segment.nextOffset <= this.#logStart || segment.nextOffset - 1 <= highestRemoteOffset) {
        continue;
      }
      if (segment.active || segment.nextOffset > highWatermark) return;
      const reason = this.#retentionReason({
        timestampMs: segment.maxTimestampMs,
        bytes: segment.sizeInBytes,
      });
      if (reason === undefined) return;
      this.#logStart = segment.nextOffset;
    }
  }

  /** Takes what goes off the excess, whatever the reason. */
  #retentionReason(segment: {
    readonly timestampMs: number;
    readonly bytes: number;
  }): 'retention-size' | 'retention-time' | undefined {
    const { retentionMs, nowMs } = this.#facts;
    const tooOld = retentionMs >= 0 && nowMs - segment.timestampMs > retentionMs;
    // Only whole segments that fit into the excess go.
    const tooMuch = this.#excess > 0 && this.#excess >= segment.bytes;
    // A segment that has no timestamp is as old as nothing: size alone can remove it.
    const timed = tooOld && segment.timestampMs >= 0;
    if (!timed && !tooMuch) return undefined;
    this.#excess = Math.max(0, this.#excess - segment.bytes);
    return timed ? 'retention-time' : 'retention-size';
  }

  #isDeadEpoch(segment: RemoteLogSegmentMetadata): boolean {
    const first = this.#lineage[0];
    if (first === undefined || this.#facts.flightOf(segment) !== undefined) return false;
    return segment.segmentLeaderEpochs.every((entry) => entry.epoch < first.epoch);
  }

  /**
   * What the log start has passed is gone for readers, and only waits for its removal. If it counted,
   * a stop between the two would let good data go in its place; so it is in the remote tier.
   */
  #localOnlyBytes(): number {
    const { local, highestRemoteOffset, logStartOffset } = this.#facts;
    return local
      .filter(({ nextOffset }) => nextOffset - 1 > highestRemoteOffset)
      .filter(({ nextOffset }) => nextOffset > logStartOffset)
      .reduce((sum, segment) => sum + segment.sizeInBytes, 0);
  }

  /**
   * Whether a finished segment counts towards the size. Unfinished copies do not, or good data would go
   * in their place (KAFKA-17062).
   */
  #counts(segment: RemoteLogSegmentMetadata): boolean {
    const { logEndOffset, logStartOffset } = this.#facts;
    return (
      segment.endOffset >= logStartOffset && isWithinLineage(segment, this.#lineage, logEndOffset)
    );
  }
}

/**
 * The time by which a segment expires: that of its latest record, or of its copy where the record claims
 * to be later than that, since a date in the future must not keep a segment for ever.
 */
function retentionTimestamp(segment: RemoteLogSegmentMetadata): number {
  const { maxTimestampMs, eventTimestampMs } = segment;
  return maxTimestampMs < 0 || maxTimestampMs > eventTimestampMs
    ? eventTimestampMs
    : maxTimestampMs;
}
