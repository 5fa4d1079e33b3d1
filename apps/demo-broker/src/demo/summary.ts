import { printByteSize } from '../command-line/byte-size.ts';
import { DemoFailure } from './demo-failure.ts';
import type { FlowMeter } from './flow-meter.ts';
import { QUOTA_WINDOW_MS, quotaBound } from './plan.ts';

/** A time during which one limit held. */
export interface LimitedPhase {
  /** What was limited, for people. */
  readonly name: string;
  /** What passed, measured at the store. */
  readonly meter: FlowMeter;
  /** Bytes per second. */
  readonly limit: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Most bytes that one admission lets through. */
  readonly largestStep: number;
}

/** What was measured in a phase. */
interface PhaseFigures {
  readonly bytes: number;
  readonly seconds: number;
  readonly bytesPerSecond: number;
  /** Most bytes in any span as long as the quota's window. */
  readonly busiestWindow: number;
  /** What that may be at most. */
  readonly bound: number;
}

/** Measures a phase. */
function measure({ meter, limit, fromMs, toMs, largestStep }: LimitedPhase): PhaseFigures {
  const bytes = meter.between(fromMs, toMs);
  const seconds = Math.max(0.001, (toMs - fromMs) / 1_000);
  return {
    bytes,
    seconds,
    bytesPerSecond: bytes / seconds,
    busiestWindow: meter.busiest(QUOTA_WINDOW_MS, fromMs, toMs),
    bound: quotaBound(limit, largestStep),
  };
}

/**
 * A line on a phase: what passed, how fast, and how that stands to the limit.
 *
 * @throws DemoFailure when more passed than the quota allows
 */
export function phaseLine(phase: LimitedPhase): string {
  const { bytes, seconds, bytesPerSecond, busiestWindow, bound } = measure(phase);
  const windowSeconds = QUOTA_WINDOW_MS / 1_000;
  if (busiestWindow > bound) {
    throw new DemoFailure(
      `${phase.name}: ${busiestWindow} bytes passed within ${windowSeconds} s, and the quota allows ${bound}.`,
    );
  }
  return [
    `  ${phase.name.padEnd(22)}`,
    `limit ${printByteSize(phase.limit)}/s, measured ${printByteSize(bytesPerSecond)}/s`,
    ` (${printByteSize(bytes)} in ${seconds.toFixed(1)} s);`,
    ` busiest ${windowSeconds} s: ${printByteSize(busiestWindow)} of ${printByteSize(bound)} allowed`,
  ].join('');
}

/** What the last line tells. */
export interface DemoResult {
  readonly records: number;
  readonly segmentsTiered: number;
  readonly remoteBytesRead: number;
}

/** The last line, when all is well. */
export function closingLine({ records, segmentsTiered, remoteBytesRead }: DemoResult): string {
  return `demo ok: ${records} records, ${segmentsTiered} segments tiered, ${remoteBytesRead} bytes read from the remote store, sha256 match`;
}
