import type { LogConfig } from './log-config.ts';

/** What retention wants to know of a segment. */
export interface RetentionSegment {
  readonly baseOffset: number;
  /** Offset after its last record: the next segment's base, or the log end. */
  readonly nextOffset: number;
  readonly sizeInBytes: number;
  /** Greatest timestamp of a record in ms; -1 without one. */
  readonly maxTimestamp: number;
  /** Wall-clock ms of the last append to its file. */
  readonly modifiedMs: number;
}

/** What retention wants to know of a log. */
export interface RetentionFacts {
  /** The oldest first; the last one is the active one. */
  readonly segments: readonly RetentionSegment[];
  readonly nowMs: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
  /** Inclusive; -1 while unknown. */
  readonly highestOffsetInRemoteStorage: number;
}

/** Why a segment goes. */
export type DeleteReason = 'log-start' | 'size' | 'time';

/**
 * Why a segment stays: it is `within-limits`; or it has exceeded them, but is `not-uploaded`, not
 * below the high watermark (`not-replicated`), the `active` one, or `behind-kept`: an older one
 * stays, and a log has no holes.
 */
export type KeepReason =
  | 'within-limits'
  | 'not-uploaded'
  | 'not-replicated'
  | 'active'
  | 'behind-kept';

/** What becomes of a segment, and why. */
export type RetentionVerdict =
  | { readonly baseOffset: number; readonly deleted: true; readonly reason: DeleteReason }
  | { readonly baseOffset: number; readonly deleted: false; readonly reason: KeepReason };

/** What is to be done with a log. */
export interface RetentionPlan {
  /** One for each segment, in their order. */
  readonly verdicts: readonly RetentionVerdict[];
  /** How many of the oldest segments go. */
  readonly deleteCount: number;
  /** Whether the active segment has exceeded the limits, too: roll, so that it can be dealt with. */
  readonly rollActive: boolean;
}

/** The limits that count for local segments. */
export interface LocalRetention {
  /** -1 is without limit. */
  readonly ms: number;
  /** -1 is without limit. */
  readonly bytes: number;
  /** Whether only what is in the remote tier, or expired there, may go. */
  readonly onlyUploaded: boolean;
}

/** Which limits count: the local ones while copying is on, the topic's alone if not. */
export function localRetentionOf(config: LogConfig): LocalRetention {
  if (config.remoteStorageEnable && !config.remoteLogCopyDisable) {
    return {
      ms: config.localRetentionMs === -2 ? config.retentionMs : config.localRetentionMs,
      bytes: config.localRetentionBytes === -2 ? config.retentionBytes : config.localRetentionBytes,
      onlyUploaded: true,
    };
  }
  if (!config.cleanupDelete) return { ms: -1, bytes: -1, onlyUploaded: false };
  return { ms: config.retentionMs, bytes: config.retentionBytes, onlyUploaded: false };
}

/**
 * Decides which segments go, after Kafka's rules (UnifiedLog.deleteOldSegments): from the oldest on,
 * up to the first that may not. Size is exceeded by a segment that fits wholly into the excess, time
 * by one whose greatest timestamp is older than the limit, strictly.
 */
export function planRetention(facts: RetentionFacts, limits: LocalRetention): RetentionPlan {
  const verdicts: RetentionVerdict[] = [];
  let excess = excessBytes(facts, limits);
  let deleteCount = 0;
  let rollActive = false;
  for (const [index, segment] of facts.segments.entries()) {
    const { baseOffset } = segment;
    const breach = breachOf(segment, facts, limits, excess);
    const isActive = index === facts.segments.length - 1;
    const obstacle = breach === undefined ? 'within-limits' : obstacleOf(segment, facts, limits);
    const isNext = deleteCount === index;
    if (breach !== undefined && isActive && isNext && segment.sizeInBytes > 0) {
      // Once rolled it can go, or be copied first: else an idle partition's last data never would.
      rollActive = obstacle !== 'not-replicated';
    }
    const keep = isActive && breach !== undefined ? 'active' : obstacle;
    if (breach !== undefined && keep === undefined && isNext) {
      deleteCount += 1;
      excess -= segment.sizeInBytes;
      verdicts.push({ baseOffset, deleted: true, reason: breach });
    } else {
      verdicts.push({ baseOffset, deleted: false, reason: keep ?? 'behind-kept' });
    }
  }
  return { verdicts, deleteCount, rollActive };
}

function excessBytes(facts: RetentionFacts, limits: LocalRetention): number {
  if (limits.bytes < 0) return -1;
  let bytes = 0;
  for (const segment of facts.segments) bytes += segment.sizeInBytes;
  return bytes - limits.bytes;
}

function breachOf(
  segment: RetentionSegment,
  facts: RetentionFacts,
  limits: LocalRetention,
  excess: number,
): DeleteReason | undefined {
  if (segment.nextOffset <= facts.logStartOffset && segment.nextOffset > segment.baseOffset) {
    return 'log-start';
  }
  if (excess > 0 && excess >= segment.sizeInBytes) return 'size';
  if (limits.ms >= 0 && facts.nowMs - ageFrom(segment, facts, limits) > limits.ms) return 'time';
  return undefined;
}

/**
 * From when a segment ages: its greatest timestamp, or without one the last change of its file. One
 * in the future would pin an uploaded segment for ever (KAFKA-20609): then the file decides, too.
 */
function ageFrom(segment: RetentionSegment, facts: RetentionFacts, limits: LocalRetention): number {
  const { maxTimestamp, modifiedMs } = segment;
  const isFuture = maxTimestamp > facts.nowMs && limits.onlyUploaded;
  return maxTimestamp < 0 || isFuture ? modifiedMs : maxTimestamp;
}

function obstacleOf(
  segment: RetentionSegment,
  facts: RetentionFacts,
  limits: LocalRetention,
): KeepReason | undefined {
  if (segment.nextOffset > facts.highWatermark) return 'not-replicated';
  if (!limits.onlyUploaded) return undefined;
  const isUploaded =
    segment.nextOffset > 0 && segment.nextOffset - 1 <= facts.highestOffsetInRemoteStorage;
  return isUploaded || segment.nextOffset <= facts.logStartOffset ? undefined : 'not-uploaded';
}
