import type { LabPolicy } from '@logloft/quota/lab';
import { parseByteSize } from '../command-line/byte-size.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { parseByteRate } from './byte-rate.ts';
import type { QuotaLabCommand } from './quota-lab-command.ts';

const POLICIES: readonly LabPolicy[] = ['none', 'abort', 'wait', 'pace'];

/** More writers than any broker has, and few enough that a run takes seconds. */
const MOST_WRITERS = 100;
const MOST_WINDOWS = 10_000;
const MOST_WINDOW_SECONDS = 86_400;

/** The flags that were given. */
export interface GivenFlags {
  /** The value of a flag; `undefined` when it is not given. */
  readonly textOf: (name: string) => string | undefined;
  readonly json: boolean;
}

/**
 * What the flags of `logloft quota-lab` say.
 *
 * @throws UsageError for a value that is none
 */
export function readQuotaLabFlags({ textOf, json }: GivenFlags): QuotaLabCommand {
  const size = (name: string, fallback: string): number =>
    parseByteSize(textOf(name) ?? fallback, `--${name}`);
  const count = (name: string, fallback: number, most: number): number =>
    parseCount(textOf(name) ?? String(fallback), { name, most });
  return {
    kind: 'quota-lab',
    backlogBytes: size('backlog', '10GiB'),
    limitBytesPerSecond: parseByteRate(textOf('limit') ?? '50MiB', '--limit'),
    ingestBytesPerSecond: ingestOf(textOf('ingest')),
    segmentBytes: size('segment', '1GiB'),
    writers: count('writers', 10, MOST_WRITERS),
    windowNum: count('window-num', 61, MOST_WINDOWS),
    windowSeconds: count('window-seconds', 1, MOST_WINDOW_SECONDS),
    policies: policiesOf(textOf('policy')),
    svgFile: textOf('svg'),
    json,
  };
}

function ingestOf(text: string | undefined): number {
  if (text === undefined || text === '0') return 0;
  return parseByteRate(text, '--ingest');
}

function parseCount(
  text: string,
  { name, most }: { readonly name: string; readonly most: number },
): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(
    `--${name} needs an integer from 1 to ${most}, got ${JSON.stringify(text)}.`,
  );
}

function policiesOf(text: string | undefined): readonly LabPolicy[] {
  if (text === undefined || text === 'all') return POLICIES;
  return text.split(',').map((word) => {
    const policy = POLICIES.find((candidate) => candidate === word.trim());
    if (policy !== undefined) return policy;
    throw new UsageError(
      `--policy needs ${POLICIES.join(', ')}, several of them with commas, or all, ` +
        `got ${JSON.stringify(text)}.`,
    );
  });
}
