import type { ConformanceRunner, ConformanceTestContext } from '../src/index.ts';

/** What became of a test. */
export interface RecordedTest {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

/** A test runner that only takes notes. */
export class RecordingRunner implements ConformanceRunner {
  readonly #path: string[] = [];
  readonly #queue: { name: string; body: (context: ConformanceTestContext) => Promise<void> }[] =
    [];

  describe(name: string, body: () => void): void {
    this.#path.push(name);
    body();
    this.#path.pop();
  }

  test(name: string, body: (context: ConformanceTestContext) => Promise<void>): void {
    this.#queue.push({ name: [...this.#path, name].join(' > '), body });
  }

  /** Runs the tests whose names match, all of them by default. */
  async run(wanted = /^/): Promise<RecordedTest[]> {
    const chosen = this.#queue.filter(({ name }) => wanted.test(name));
    return await Promise.all(
      chosen.map(async ({ name, body }): Promise<RecordedTest> => {
        let skipped: string | undefined;
        try {
          await body({
            skip: (reason) => {
              skipped = reason ?? '';
            },
          });
        } catch (error) {
          return { name, outcome: 'failed', detail: String(error) };
        }
        return skipped === undefined
          ? { name, outcome: 'passed', detail: '' }
          : { name, outcome: 'skipped', detail: skipped };
      }),
    );
  }
}
