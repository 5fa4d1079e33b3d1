import { describe, expect, test } from 'vitest';
import {
  type CaseOutcome,
  type ConformanceReport,
  type ConformanceRunner,
  countOutcomes,
  describeObjectStore,
  formatReport,
  reportJson,
  summaryOf,
} from '../../src/index.ts';
import { StrictDelete } from '../broken-object-stores.ts';
import { RecordingRunner } from '../recording-runner.ts';
import { ReferenceObjectStore } from '../reference-object-store.ts';

function reportOf(outcomes: readonly CaseOutcome[], reason?: string): ConformanceReport {
  return {
    name: 's3',
    contract: 'object store',
    capabilities: new ReferenceObjectStore().capabilities,
    cases: outcomes.map((outcome, index) => ({
      group: index < 2 ? 'first' : 'second',
      name: `sentence ${index}`,
      outcome,
      reason: outcome === 'proved' ? undefined : reason,
      durationMs: 12.3,
    })),
  };
}

describe('a report in words', () => {
  test('ends with the number of cases, and names only outcomes that there are', () => {
    expect(summaryOf(reportOf(['proved', 'proved', 'skipped']))).toBe(
      's3: 3 cases, 2 proved, 1 skipped',
    );
    expect(summaryOf(reportOf(['proved']))).toBe('s3: 1 cases, 1 proved');
    expect(summaryOf(reportOf(['failed', 'not-run', 'proved', 'not-run']))).toBe(
      's3: 4 cases, 1 proved, 1 failed, 2 not run',
    );
  });

  test('shows each case under its heading, with its reason, and what the store can do', () => {
    const text = formatReport(reportOf(['proved', 'failed', 'skipped'], 'because\nof much'));
    expect(text.split('\n')).toEqual([
      's3, proved as an object store',
      '  name: reference',
      '  durable: false',
      '  conditionalPut: true',
      '  paced: true',
      '  maxObjectBytes: 100000000',
      '  maxKeyBytes: 700',
      'first',
      '  ok       sentence 0, 12 ms',
      '  FAILED   sentence 1, 12 ms (because)',
      'second',
      '  skipped  sentence 2 (because)',
      's3: 3 cases, 1 proved, 1 failed, 1 skipped',
    ]);
  });

  test('can leave out what was proved, and its headings', () => {
    const report = reportOf(['proved', 'proved', 'skipped'], 'why');
    const text = formatReport(report, { withProved: false });
    expect(text).not.toContain('sentence 0');
    expect(text).not.toContain('first');
    expect(text).toContain('sentence 2 (why)');
  });
});

test('a report as JSON has the same cases and counts', () => {
  const report = reportOf(['proved', 'failed', 'not-run'], 'why');
  const document: unknown = JSON.parse(reportJson(report));
  expect(document).toEqual({
    name: 's3',
    contract: 'object store',
    capabilities: { ...report.capabilities },
    counts: { proved: 1, failed: 1, skipped: 0, notRun: 1 },
    cases: JSON.parse(JSON.stringify(report.cases)),
  });
});

describe('the report of a suite', () => {
  async function proved(
    wanted: RegExp | undefined,
    open: () => ReferenceObjectStore,
    hook: 'afterAll' | 'after' | undefined,
  ): Promise<ConformanceReport[]> {
    const reports: ConformanceReport[] = [];
    const runner = new RecordingRunner();
    const ends: (() => void)[] = [];
    const asked: ConformanceRunner = {
      describe: (name, body) => runner.describe(name, body),
      test: (name, body) => runner.test(name, body),
      ...(hook && { [hook]: (body: () => void) => void ends.push(body) }),
    };
    describeObjectStore(asked, {
      name: 'mine',
      open: () => ({ store: open() }),
      onReport: (report) => void reports.push(report),
    });
    await runner.run(wanted);
    for (const end of ends) end();
    return reports;
  }

  test('is made once, when the last case is done, if the runner tells of no end', async () => {
    const reports = await proved(undefined, () => new ReferenceObjectStore(), undefined);
    expect(reports).toHaveLength(1);
    const [report] = reports;
    expect(report?.capabilities?.name).toBe('reference');
    expect(report && countOutcomes(report)).toMatchObject({ failed: 0, 'not-run': 0 });
    expect(report?.cases.filter(({ outcome }) => outcome === 'skipped')).toSatisfy(
      (skipped: ConformanceReport['cases']) =>
        skipped.length > 0 && skipped.every(({ reason }) => (reason?.length ?? 0) > 0),
    );
  });

  test.each(['afterAll', 'after'] as const)(
    'is made at the end that %s tells of, also of a part',
    async (hook) => {
      const reports = await proved(/deleting/, () => new StrictDelete(), hook);
      expect(reports).toHaveLength(1);
      const [report] = reports;
      const outcomeOf = (part: string): CaseOutcome | undefined =>
        report?.cases.find(({ name }) => name.includes(part))?.outcome;
      expect(outcomeOf('counts as deleted')).toBe('failed');
      expect(outcomeOf('can be written again')).toBe('proved');
      expect(outcomeOf('replaced whole')).toBe('not-run');
    },
  );

  test('is not made of a part, if the runner tells of no end', async () => {
    expect(await proved(/deleting/, () => new ReferenceObjectStore(), undefined)).toEqual([]);
  });
});
