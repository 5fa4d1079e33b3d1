import type { Clock } from '@logloft/clock';
import { isRemoteStorageError } from '@logloft/remote-storage';
import type { Finding, Skipped, Success } from './finding.ts';
import { type FailedCheck, remedyFor } from './remedies.ts';

/** What a {@link CheckList} works with. */
export interface CheckListOptions {
  readonly clock: Clock;
  /** Name of the store as far as it is known before it is open. */
  readonly store: string;
  /** Told of each finding as it is made. */
  readonly onFinding: (finding: Finding) => void;
}

/** Runs checks one after the other, and keeps what they found. */
export class CheckList {
  readonly findings: Finding[] = [];
  /** Name of the store, as in `capabilities.name`; decides which permissions are named. */
  store: string;
  readonly #options: CheckListOptions;

  constructor(options: CheckListOptions) {
    this.#options = options;
    this.store = options.store;
  }

  /** Whether no check has failed. */
  get isSound(): boolean {
    return this.findings.every(({ outcome }) => outcome !== 'fail');
  }

  /**
   * Runs one check. A failure is a finding with its remedy, and the next check goes on.
   *
   * @param what the kind of request, for naming the permission it needs
   * @returns whether it worked
   */
  async check(
    name: string,
    what: FailedCheck['what'],
    run: () => Promise<Success | Skipped>,
  ): Promise<boolean> {
    const { clock } = this.#options;
    const { store } = this;
    const startedMs = clock.monotonic();
    const ms = (): number => Math.round(clock.monotonic() - startedMs);
    try {
      const result = await run();
      if ('skipped' in result) {
        this.skip(name, result.skipped);
        return true;
      }
      const { detail, warning } = result;
      const outcome = warning === undefined ? 'ok' : 'warn';
      this.#add({ name, outcome, detail, remedy: warning?.remedy, code: undefined, ms: ms() });
      return true;
    } catch (error) {
      this.#add({
        name,
        outcome: 'fail',
        detail: error instanceof Error ? error.message : String(error),
        remedy: remedyFor(error, { store, what }),
        code: isRemoteStorageError(error) ? error.code : undefined,
        ms: ms(),
      });
      return false;
    }
  }

  /** Says that something was not tried, and why. */
  skip(name: string, reason: string): void {
    const none = { remedy: undefined, code: undefined, ms: 0 };
    this.#add({ name, outcome: 'skip', detail: reason, ...none });
  }

  #add(finding: Finding): void {
    this.findings.push(finding);
    this.#options.onFinding(finding);
  }
}
