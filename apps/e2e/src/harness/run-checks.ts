import { Checks } from './checks.ts';
import { Cleanup } from './cleanup.ts';

/** Longer than any of the programs takes, even on a machine that is busy with something else. */
const DEFAULT_DEADLINE_MS = 10 * 60 * 1000;

/** What the body of a program of checks is given. */
export interface CheckRun {
  readonly checks: Checks;
  /** Processes and directories add their end here. */
  readonly cleanup: Cleanup;
}

/**
 * Runs a program of checks: heading, checks, clean-up, closing line, exit code. Processes and
 * directories are cleaned up also after Ctrl-C, after an exception, and when it takes far too long.
 */
export async function runChecks(
  title: string,
  body: (run: CheckRun) => Promise<void>,
  { deadlineMs = DEFAULT_DEADLINE_MS }: { readonly deadlineMs?: number } = {},
): Promise<void> {
  const checks = new Checks();
  const cleanup = new Cleanup();
  const abandon = (reason: string, exitCode: number): void => {
    checks.stop();
    console.error(reason);
    void cleanup.run().then(() => {
      console.log(checks.summary);
      process.exit(exitCode);
    });
  };
  process.once('SIGINT', () => abandon('interrupted', 130));
  process.once('SIGTERM', () => abandon('terminated', 143));
  // A client library that rejects a promise nobody holds must not leave a broker behind.
  process.once('uncaughtException', (error) => {
    abandon(`uncaught: ${error.stack ?? error.message}`, 1);
  });
  const watchdog = setTimeout(() => abandon(`not done after ${deadlineMs} ms`, 1), deadlineMs);
  console.log(title);
  try {
    await body({ checks, cleanup });
  } catch (error) {
    await checks.check('the program runs to its end', () => {
      throw error;
    });
  }
  clearTimeout(watchdog);
  await cleanup.run();
  console.log(checks.summary);
  // Not only the code: sockets of a client that failed must not keep the process.
  process.exit(checks.failed === 0 ? 0 : 1);
}
