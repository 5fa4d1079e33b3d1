import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A number, or the text of one that JSON does not hold (`"9223372036854775807"`, `"Infinity"`). */
type VectorNumber = number | string;

/** `[available, unallocated, buffers in the free list, queued, held back by waiters]`. */
type VectorState = readonly [number, number, number, number, number];

export type VectorEvent =
  | readonly ['grant', number, string]
  | readonly ['fail', number, string, string | null];

export type VectorStep = {
  readonly events: readonly VectorEvent[];
  readonly state: VectorState;
} & (
  | {
      readonly op: 'alloc';
      readonly id: number;
      readonly size: number;
      readonly timeoutMs: VectorNumber;
      readonly oom?: boolean;
    }
  | {
      readonly op: 'free';
      readonly id: number;
      readonly size?: number;
      readonly otherBufferOfCapacity?: number;
    }
  | { readonly op: 'freeNull' }
  | { readonly op: 'advance'; readonly ms: number }
  | { readonly op: 'interrupt'; readonly id: number }
  | { readonly op: 'close' }
);

/** One run of Kafka's own BufferPool. */
export interface Scenario {
  readonly name: string;
  readonly totalMemory: number;
  readonly poolableSize: number;
  readonly newcomerOvertakesWaiters?: boolean;
  readonly steps: readonly VectorStep[];
  readonly waitRecordsNs?: readonly VectorNumber[];
  readonly metricsAtEnd: Readonly<Record<string, VectorNumber>>;
}

export const SCENARIO_FILES = [
  'single-actor',
  'waiters',
  'close',
  'allocation-failure',
  'random-immediate',
  'random-waiting',
] as const;

/** Names, descriptions and sensors that a new pool registers in Kafka. */
export interface RecordedNames {
  readonly metricNames: readonly { group: string; name: string; description: string }[];
  readonly sensors: readonly { sensor: string }[];
}

export function readScenarios(file: (typeof SCENARIO_FILES)[number]): readonly Scenario[] {
  // The shape of the recorded files is described beside them; this is where they are decoded.
  return (readVector(file) as { scenarios: readonly Scenario[] }).scenarios;
}

export function readRecordedNames(): RecordedNames {
  return readVector('metric-names') as RecordedNames;
}

/** Whether every buffer comes back once, whole, and itself: what strict semantics ask for. */
export function returnsOwnBuffers(scenario: Scenario): boolean {
  const granted = new Map<number, number>();
  for (const step of scenario.steps) {
    if (step.op === 'alloc') granted.set(step.id, step.size);
    if (step.op !== 'free') continue;
    const size = granted.get(step.id);
    granted.delete(step.id);
    const isOther = step.otherBufferOfCapacity !== undefined;
    if (size === undefined || isOther || (step.size ?? size) !== size) return false;
  }
  return true;
}

function readVector(name: string): unknown {
  const packed = readFileSync(new URL(`./vectors/${name}.json.gz`, import.meta.url));
  return JSON.parse(gunzipSync(packed).toString('utf8'));
}
