import assert from 'node:assert/strict';
import { systemClock } from '@logloft/clock';
import type { ConformanceReport } from '../report/conformance-report.ts';
import { ConformanceReporter } from '../report/conformance-reporter.ts';
import { formatReport } from '../report/format-report.ts';
import type { ConformanceCase, ConformanceGroup } from './conformance-case.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import type { ConformanceRunner } from './runner.ts';

/** A suite, and how each case gets what it is run on. */
export interface ConformanceSuite<S> extends ConformanceOptions {
  readonly contract: ConformanceReport['contract'];
  readonly groups: readonly ConformanceGroup<S>[];
  /** Opens a subject of its own for a case. */
  readonly open: () => Promise<S>;
  readonly close: (subject: S) => Promise<void>;
  /** What the subject says of itself. */
  readonly capabilitiesOf: (subject: S) => ConformanceReport['capabilities'];
}

const CASE_TIMEOUT_MS = 30_000;

/** Hands all cases to a runner, and reports what became of them. */
export function registerSuite<S>(runner: ConformanceRunner, suite: ConformanceSuite<S>): void {
  const { name, contract, groups, onReport = print } = suite;
  const reporter = new ConformanceReporter(name, contract);
  // Not taken out of the runner: a method may need its object.
  const hasAfter = runner.afterAll !== undefined || runner.after !== undefined;
  const report = (): void => onReport(reporter.report());
  const article = contract === 'object store' ? 'an' : 'a';
  runner.describe(`${name} keeps the contract of ${article} ${contract}`, () => {
    for (const group of groups) {
      runner.describe(group.name, () => {
        for (const one of group.cases) {
          const place = reporter.add(group.name, one.name);
          runner.test(one.name, async (context) => {
            const reason = await runCase(one, suite, reporter, place);
            if (!hasAfter && reporter.isComplete) report();
            if (reason !== undefined) context.skip(reason);
          });
        }
      });
    }
    if (runner.afterAll !== undefined) runner.afterAll(report);
    else runner.after?.(report);
  });
}

// Answers why the case was skipped, if it was.
async function runCase<S>(
  one: ConformanceCase<S>,
  suite: ConformanceSuite<S>,
  reporter: ConformanceReporter,
  place: number,
): Promise<string | undefined> {
  const start = systemClock.monotonic();
  const durationMs = (): number => systemClock.monotonic() - start;
  try {
    const reason = await tryCase(one, suite, reporter);
    const outcome = reason === undefined ? 'proved' : 'skipped';
    reporter.finish(place, { outcome, reason, durationMs: durationMs() });
    return reason;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    reporter.finish(place, { outcome: 'failed', reason, durationMs: durationMs() });
    throw error;
  }
}

async function tryCase<S>(
  one: ConformanceCase<S>,
  suite: ConformanceSuite<S>,
  reporter: ConformanceReporter,
): Promise<string | undefined> {
  const { caseTimeoutMs = CASE_TIMEOUT_MS } = suite;
  const subject = await suite.open();
  try {
    reporter.meet(suite.capabilitiesOf(subject));
    const reason = one.skip?.(subject);
    const work = reason === undefined ? one.run : one.refusal;
    if (work !== undefined) await settles(work(subject), caseTimeoutMs);
    return reason;
  } finally {
    await settles(suite.close(subject), caseTimeoutMs);
  }
}

/** Fails when a promise does not settle within `ms` of real time: a hang is a failure of its own kind. */
async function settles(work: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = systemClock.setTimer(ms, () =>
    late.reject(new assert.AssertionError({ message: `did not settle within ${ms} ms` })),
  );
  try {
    await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}

function print(report: ConformanceReport): void {
  process.stdout.write(`${formatReport(report, { withProved: false })}\n`);
}
