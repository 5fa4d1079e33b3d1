import type { Clock, RandomSource } from '@logloft/clock';
import type { MemoryBudget } from '../storage/memory-budget.ts';
import { GcsError } from './gcs-error.ts';
import { type UploadPlan, UploadSession } from './upload-session.ts';

/** How long a session lives: a week. */
const SESSION_LIFE_MS = 7 * 86_400_000;
/** Beyond, the oldest is forgotten: nobody is to fill the memory by opening uploads. */
const MAX_SESSIONS = 10_000;

/** All resumable uploads of a stub, by their id. */
export class UploadSessions {
  readonly #clock: Clock;
  readonly #random: RandomSource;
  readonly #budget: MemoryBudget;
  readonly #sessions = new Map<string, UploadSession>();

  constructor(options: {
    readonly clock: Clock;
    readonly random: RandomSource;
    readonly budget: MemoryBudget;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#budget = options.budget;
  }

  /** Opens a session under a new id; of more than 10,000 the oldest is forgotten. */
  open(plan: UploadPlan): UploadSession {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.forget(oldest);
    const id = Buffer.from(this.#random.fill(new Uint8Array(24))).toString('base64url');
    const session = new UploadSession({ id, plan, openedAtMs: this.#clock.now() });
    this.#sessions.set(id, session);
    return session;
  }

  /**
   * @throws GcsError `notFound` for an id that never was or was forgotten, with status 410 for one
   * older than a week, `uploadCancelled` (499) for one that was given up
   */
  find(id: string): UploadSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new GcsError('notFound', 'Upload session not found');
    if (session.cancelled) throw new GcsError('uploadCancelled', 'The upload was cancelled');
    if (this.#clock.now() - session.openedAtMs > SESSION_LIFE_MS) {
      this.forget(id);
      throw new GcsError('notFound', 'The upload session has expired', { status: 410 });
    }
    return session;
  }

  /** Gives a session up, and the bytes with it; it answers 499 from now on. */
  cancel(session: UploadSession): void {
    if (session.result === undefined) this.#budget.release(session.receivedBytes);
    session.cancel();
  }

  /** Forgets a session, as a service that lost it would. Returns whether there was one. */
  forget(id: string): boolean {
    const session = this.#sessions.get(id);
    if (session !== undefined) this.cancel(session);
    return this.#sessions.delete(id);
  }

  /** Sessions of a bucket that are neither finished nor given up, oldest first. */
  pending(bucket: string): readonly UploadSession[] {
    return [...this.#sessions.values()].filter(
      ({ plan, result, cancelled }) => plan.bucket === bucket && result === undefined && !cancelled,
    );
  }
}
