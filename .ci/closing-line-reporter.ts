import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints `N passed, N failed` alone on the last line, which is what continuous integration reads.
 * A file that could not even be collected counts as one failure.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
    }
    const tail = skipped === 0 ? '' : `, ${skipped} skipped`;
    // The default reporter writes its summary in the same turn; the closing line has to be the last.
    setImmediate(() => process.stdout.write(`\n${passed} passed, ${failed} failed${tail}\n`));
  }
}
