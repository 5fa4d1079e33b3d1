/** What a test is given by its runner. */
export interface ConformanceTestContext {
  /** Marks the test as skipped; whatever reason there is must be given. */
  skip(reason?: string): void;
}

/**
 * The functions that the suites need of a test runner. Those of vitest (`{ describe, test, afterAll }`
 * from `vitest`) and of Node (`{ describe, test, after }` from `node:test`) fit as they are.
 */
export interface ConformanceRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (context: ConformanceTestContext) => Promise<void>): unknown;
  /** Called at the end of a `describe`: the report is then made also where a filter left cases out. */
  afterAll?(body: () => void): unknown;
  /** The same, as Node calls it. */
  after?(body: () => void): unknown;
}
