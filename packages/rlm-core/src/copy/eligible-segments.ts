import type { LocalSegmentView, TieredTopicConfig } from '../partition-log-view.ts';

/** Why a local segment is not copied, or not yet. */
export type NotCopiedReason =
  /** It is in the remote tier. */
  | 'already-copied'
  /** Appends still go to it. */
  | 'active'
  /** It has no records. */
  | 'empty'
  /** Retention or DeleteRecords has moved the log start past it; it only waits for its removal. */
  | 'below-log-start'
  /** Records in it may still be in an open transaction, or are not replicated yet. */
  | 'above-last-stable-offset'
  /** `remote.log.copy.disable` is set, or `remote.storage.enable` is not. */
  | 'copy-disabled'
  /** `remote.copy.lag.ms` and `remote.copy.lag.bytes` keep it local for now (KIP-1241). */
  | 'copy-lag'
  /** The state of its producers was not kept, so no other broker could take over from it. */
  | 'no-producer-snapshot'
  /** A segment in front of it cannot be copied, and segments are copied in order. */
  | 'behind-another';

/** What the decision needs to know of a segment. */
export type CopyCandidate = Pick<
  LocalSegmentView,
  'baseOffset' | 'nextOffset' | 'sizeInBytes' | 'maxTimestampMs' | 'active' | 'hasProducerSnapshot'
>;

/** What the decision needs to know of the log. */
export interface CopyFacts<S extends CopyCandidate> {
  /** All local segments, ascending. */
  readonly segments: readonly S[];
  readonly config: TieredTopicConfig;
  readonly logStartOffset: number;
  readonly lastStableOffset: number;
  /** Highest offset in the remote tier, inclusive; -1 for none. */
  readonly copiedOffset: number;
  /** Wall-clock ms. */
  readonly nowMs: number;
}

/** What to do with each local segment. */
export interface CopyPlan<S extends CopyCandidate> {
  /** To be copied, in this order. */
  readonly eligible: readonly S[];
  /** The others, ascending. */
  readonly others: readonly { readonly segment: S; readonly reason: NotCopiedReason }[];
}

/**
 * Decides which segments are copied. They are copied strictly in order, so that the remote tier has no
 * hole: the first that cannot be copied holds up those behind it.
 */
export function eligibleSegments<S extends CopyCandidate>(facts: CopyFacts<S>): CopyPlan<S> {
  const eligible: S[] = [];
  const others: { segment: S; reason: NotCopiedReason }[] = [];
  const lag = copyLag(facts);
  let heldUp = false;
  for (const segment of facts.segments) {
    const reason = reasonAgainst(segment, facts, lag);
    lag.pass(segment);
    if (reason === undefined && !heldUp) {
      eligible.push(segment);
      continue;
    }
    others.push({ segment, reason: reason ?? 'behind-another' });
    if (reason !== undefined && !SETTLED.has(reason)) heldUp = true;
  }
  return { eligible, others };
}

/** What may change while a plan is carried out. Time, and what is appended, only let more go. */
type CopyFactsNow = Pick<
  CopyFacts<CopyCandidate>,
  'config' | 'copiedOffset' | 'lastStableOffset' | 'logStartOffset'
>;

/** Whether a segment of a plan, made under the same configuration, would be in a new plan, too. */
export function isStillEligible(segment: CopyCandidate, facts: CopyFactsNow): boolean {
  return lastingReasonAgainst(segment, facts) === undefined;
}

/** With these there is nothing left to do for a segment, so they hold nothing up. */
const SETTLED: ReadonlySet<NotCopiedReason> = new Set([
  'already-copied',
  'below-log-start',
  'empty',
]);

function reasonAgainst(
  segment: CopyCandidate,
  facts: CopyFacts<CopyCandidate>,
  lag: CopyLag,
): NotCopiedReason | undefined {
  const reason = lastingReasonAgainst(segment, facts);
  if (reason !== undefined) return reason;
  return lag.holds(segment, facts.nowMs) ? 'copy-lag' : undefined;
}

function lastingReasonAgainst(
  segment: CopyCandidate,
  facts: CopyFactsNow,
): NotCopiedReason | undefined {
  if (segment.active) return 'active';
  if (segment.nextOffset <= segment.baseOffset) return 'empty';
  if (segment.nextOffset - 1 <= facts.copiedOffset) return 'already-copied';
  if (segment.nextOffset <= facts.logStartOffset) return 'below-log-start';
  if (facts.config.remoteLogCopyDisable || !facts.config.remoteStorageEnable)
    return 'copy-disabled';
  if (segment.nextOffset > facts.lastStableOffset) return 'above-last-stable-offset';
  return segment.hasProducerSnapshot ? undefined : 'no-producer-snapshot';
}

interface CopyLag {
  /** Whether the segment is too young, and too near the end of the log, to be copied. */
  holds(segment: CopyCandidate, nowMs: number): boolean;
  /** Takes note of a segment; called for each in order. */
  pass(segment: CopyCandidate): void;
}

/** Either of the two lags lets a segment go; a lag of 0 lets all go (KIP-1241). */
function copyLag(facts: CopyFacts<CopyCandidate>): CopyLag {
  const { config } = facts;
  const lagMs = effective(
    config.remoteCopyLagMs ?? 0,
    config.localRetentionMs === -2 ? config.retentionMs : config.localRetentionMs,
  );
  const lagBytes = effective(
    config.remoteCopyLagBytes ?? -1,
    config.localRetentionBytes === -2 ? config.retentionBytes : config.localRetentionBytes,
  );
  let behind = facts.segments.reduce((sum, segment) => sum + segment.sizeInBytes, 0);
  return {
    holds(segment, nowMs): boolean {
      if (lagMs === 0 || lagBytes === 0) return false;
      const ageMs = nowMs - segment.maxTimestampMs;
      // A record from the future must not keep its segment local for ever.
      const oldEnough = lagMs > 0 && (ageMs >= lagMs || ageMs < 0);
      const farEnough = lagBytes > 0 && behind - segment.sizeInBytes >= lagBytes;
      // Local retention needs it gone soon, whatever the lags say, when neither has an end.
      return !(oldEnough || farEnough) && (lagMs > 0 || lagBytes > 0);
    },
    pass(segment): void {
      behind -= segment.sizeInBytes;
    },
  };
}

/** -1 stands for the local retention; negative where that has no end. */
function effective(lag: number, localRetention: number): number {
  return lag === -1 ? localRetention : lag;
}
