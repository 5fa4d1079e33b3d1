import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { epochForOffset, withoutEmptyEpochs } from '../lineage/leader-epochs.ts';
import { isWithinLineage } from '../lineage/within-lineage.ts';
import type { LeaderEpochEntry, LocalSegmentView } from '../partition-log-view.ts';
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
  /** Whether, and how, this process works on a segment. */
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
}

/**
 * Decides what leaves the remote tier, and where the log begins then. Left-overs go whatever the
 * retention says. Then the segments of the leader's history are looked at from the oldest on, over both
 * tiers, and the first that stays ends the walk.
 */
export function expirableSegments(facts: ExpireFacts): ExpirePlan {
  return new ExpireWalk(facts).plan();
}

type Verdict = ExpireReason | 'skip' | 'stop';

class ExpireWalk {
  readonly #facts: ExpireFacts;
  readonly #lineage: readonly LeaderEpochEntry[];
  readonly #chosen = new Map<string, { segment: RemoteLogSegmentMetadata; reason: ExpireReason }>();
  /** Bytes above `retention.bytes`. */
  #excess: number;
  #logStart: number;

  constructor(facts: ExpireFacts) {
    this.#facts = facts;
    this.#lineage = withoutEmptyEpochs(facts.lineage);
    this.#logStart = facts.logStartOffset;
    this.#excess =
      facts.retentionBytes < 0
        ? 0
        : this.#localOnlyBytes() + this.#remoteBytes() - facts.retentionBytes;
  }

  plan(): ExpirePlan {
    for (const segment of this.#facts.remote) this.#chooseLeftOver(segment);
    if (this.#walkRemote()) this.#walkLocal();
    for (const segment of this.#facts.remote) this.#chooseDeadEpoch(segment);
    return { logStartOffset: this.#logStart, deletions: [...this.#chosen.values()] };
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
  #walkRemote(): boolean {
    const seen = new Set<RemoteLogSegmentMetadata>();
    const byEpoch = segmentsByEpoch(this.#facts.remote);
    for (const { epoch } of this.#lineage) {
      for (const segment of byEpoch.get(epoch) ?? []) {
        if (seen.has(segment)) continue;
        seen.add(segment);
        const verdict = this.#judge(segment);
        if (verdict === 'stop') return false;
        if (verdict !== 'skip') this.#choose(segment, verdict);
      }
    }
    return true;
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

  #chooseDeadEpoch(segment: RemoteLogSegmentMetadata): void {
    const first = this.#lineage[0];
    if (first === undefined || this.#facts.flightOf(segment) !== undefined) return;
    if (segment.state !== 'COPY_SEGMENT_FINISHED') return;
    if (this.#chosen.has(segment.remoteLogSegmentId.id)) return;
    if (segment.segmentLeaderEpochs.every((entry) => entry.epoch < first.epoch)) {
      this.#choose(segment, 'dead-epoch');
    }
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

  /** Unfinished copies do not count, or good data would go in their place (KAFKA-17062). */
  #remoteBytes(): number {
    const { remote, lineage, logEndOffset, logStartOffset } = this.#facts;
    return remote
      .filter((segment) => segment.state === 'COPY_SEGMENT_FINISHED')
      .filter((segment) => segment.endOffset >= logStartOffset)
      .filter((segment) => isWithinLineage(segment, lineage, logEndOffset))
      .reduce((sum, segment) => sum + segment.segmentSizeInBytes, 0);
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

/** The segments of each epoch, ascending by start offset; one that spans epochs is in each of them. */
function segmentsByEpoch(
  segments: readonly RemoteLogSegmentMetadata[],
): ReadonlyMap<number, readonly RemoteLogSegmentMetadata[]> {
  const byEpoch = new Map<number, RemoteLogSegmentMetadata[]>();
  const ascending = segments.toSorted((a, b) => a.startOffset - b.startOffset);
  for (const segment of ascending) {
    for (const { epoch } of segment.segmentLeaderEpochs) {
      const known = byEpoch.get(epoch);
      if (known === undefined) byEpoch.set(epoch, [segment]);
      else known.push(segment);
    }
  }
  return byEpoch;
}
