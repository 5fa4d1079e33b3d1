/** What a test is given by its runner. */
export interface ConformanceTestContext {
  /** Marks the test as skipped; whatever reason there is must be given. */
  skip(reason?: string): void;
}

/**
 * The two functions that the suites need of a test runner. Those of vitest (`{ describe, test }` from
 * `vitest`) and of Node (`{ describe, test }` from `node:test`) fit as they are.
 */
export interface ConformanceRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (context: ConformanceTestContext) => Promise<void>): unknown;
}
