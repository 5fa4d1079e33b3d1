import assert from 'node:assert/strict';
import { systemClock } from '@logloft/clock';
import type { ConformanceRunner } from './runner.ts';

/** One thing that must hold. */
export interface ConformanceCase<S> {
  /** The sentence. */
  readonly name: string;
  /** Why the case makes no sense for a subject; `undefined` when it does. */
  readonly skip?: ((subject: S) => string | undefined) | undefined;
  /** What must hold instead where it is skipped: a thing that cannot be done is refused. */
  readonly refusal?: ((subject: S) => Promise<void>) | undefined;
  readonly run: (subject: S) => Promise<void>;
}

/** Cases with a heading. */
export interface ConformanceGroup<S> {
  readonly name: string;
  readonly cases: readonly ConformanceCase<S>[];
}

/** How each case gets what it is run on. */
export interface SubjectSource<S> {
  /** Opens a subject of its own for a case. */
  readonly open: () => Promise<S>;
  readonly close: (subject: S) => Promise<void>;
  /** Ms of real time after which a case counts as hanging. */
  readonly caseTimeoutMs: number;
}

/** Hands all cases to a runner. */
export function registerGroups<S>(
  runner: ConformanceRunner,
  groups: readonly ConformanceGroup<S>[],
  source: SubjectSource<S>,
): void {
  for (const group of groups) {
    runner.describe(group.name, () => {
      for (const one of group.cases) {
        runner.test(one.name, async (context) => {
          const reason = await runCase(one, source);
          if (reason !== undefined) context.skip(reason);
        });
      }
    });
  }
}

// Answers why the case was skipped, if it was.
async function runCase<S>(
  one: ConformanceCase<S>,
  source: SubjectSource<S>,
): Promise<string | undefined> {
  const { caseTimeoutMs } = source;
  const subject = await source.open();
  try {
    const reason = one.skip?.(subject);
    const work = reason === undefined ? one.run : one.refusal;
    if (work !== undefined) await settles(work(subject), caseTimeoutMs);
    return reason;
  } finally {
    await settles(source.close(subject), caseTimeoutMs);
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
