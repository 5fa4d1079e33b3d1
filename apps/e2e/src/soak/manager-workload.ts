import {
  ByteLimit,
  type CopyPermit,
  type ExhaustedPolicy,
  ReadQuotaManager,
  type Reservation,
  WriteQuotaManager,
  type WriteQuotaScope,
} from '@logloft/quota';
import type { SoakContext, Workload } from './workload.ts';

const LIMIT = 1_000_000;
/** A limit is changed to a tenth, to ten times, and back. */
const FACTORS = [0.1, 1, 10];
const POLICIES: readonly ExhaustedPolicy[] = ['abort', 'wait', 'pace'];
const SCOPES: readonly WriteQuotaScope[] = ['broker', 'writer'];
const WRITERS = 4;
const MAX_HELD = 50;
const MAX_HOLD_MS = 10_000;
const REOPEN_ONE_IN = 10_000;

/** Copies and reads under the managers of KIP-956: every policy and scope in turn. */
export class ManagerWorkload implements Workload {
  readonly name = 'quota managers';
  readonly #context: SoakContext;
  #writes: WriteQuotaManager;
  #reads: ReadQuotaManager;
  #permits: CopyPermit[] = [];
  #reservations: Reservation[] = [];
  #admitted = 0;
  #reopened = 0;

  constructor(context: SoakContext) {
    this.#context = context;
    this.#writes = this.#makeWrites();
    this.#reads = this.#makeReads();
  }

  step(): void {
    const { chance } = this.#context;
    const choice = chance.below(64);
    if (choice < 16) this.#admitCopy();
    else if (choice < 28) this.#admitRead();
    else if (choice < 44) this.#endCopy();
    else if (choice < 60) this.#endRead();
    else if (choice < 62) this.#ask();
    else if (choice < 63) this.#changeLimits();
    else if (chance.oneIn(REOPEN_ONE_IN / 64)) this.#reopen();
    if (this.#permits.length > MAX_HELD) this.#endCopy();
    if (this.#reservations.length > MAX_HELD) this.#endRead();
  }

  audit(): void {
    if (this.#writes.brokerStatus().reservedBytes >= 0) return;
    this.#context.findings.note('memory', `${this.name}: less than nothing is reserved`);
  }

  giveBack(): void {
    this.#setLimits(1);
    while (this.#permits.length > 0) this.#context.chance.takeFrom(this.#permits)?.release();
    while (this.#reservations.length > 0) {
      this.#context.chance.takeFrom(this.#reservations)?.release();
    }
  }

  get outstandingBytes(): number {
    return this.#writes.brokerStatus().reservedBytes + this.#reads.status().reservedBytes;
  }

  describe(): string {
    return `${this.name} admitted ${this.#admitted} and were made anew ${this.#reopened} times`;
  }

  async close(): Promise<void> {
    await this.#writes.close();
    await this.#reads.close();
  }

  #makeWrites(): WriteQuotaManager {
    const { clock, metrics, chance } = this.#context;
    return new WriteQuotaManager({
      clock,
      metrics,
      limit: ByteLimit.of(LIMIT),
      samples: 11,
      exhausted: POLICIES[chance.below(POLICIES.length)],
      scope: SCOPES[chance.below(SCOPES.length)],
      maxWaiters: 50,
      maxHoldMs: MAX_HOLD_MS,
      onHoldExpired: () => undefined,
    });
  }

  #makeReads(): ReadQuotaManager {
    const { clock, metrics } = this.#context;
    return new ReadQuotaManager({
      clock,
      metrics,
      limit: ByteLimit.of(LIMIT),
      maxHoldMs: MAX_HOLD_MS,
      onHoldExpired: () => undefined,
    });
  }

  #admitCopy(): void {
    const { chance, signals, waits } = this.#context;
    const writes = this.#writes;
    const wait = writes.admit({
      writer: `writer-${chance.below(WRITERS)}`,
      bytes: chance.below(50_000),
      signal: signals.signal(),
      timeoutMs: 1 + chance.below(5000),
    });
    waits.watch(wait, (permit) => {
      if (permit === undefined) return;
      if (writes !== this.#writes) {
        permit.release();
        return;
      }
      this.#admitted += 1;
      this.#permits.push(permit);
      this.#pace(permit);
    });
  }

  #pace({ pacer, estimate }: CopyPermit): void {
    if (pacer === undefined) return;
    const { signals, waits } = this.#context;
    const bytes = Math.min(estimate, pacer.sliceBytes ?? estimate);
    waits.watch(pacer.take(bytes, { signal: signals.signal() }), () => undefined);
  }

  #admitRead(): void {
    const reservation = this.#reads.tryAdmit(this.#context.chance.below(50_000));
    if (reservation === undefined) return;
    this.#admitted += 1;
    this.#reservations.push(reservation);
  }

  #endCopy(): void {
    const { chance } = this.#context;
    const permit = chance.takeFrom(this.#permits);
    if (permit === undefined) return;
    const choice = chance.below(16);
    // The one case in sixteen that is left is dropped: the quota takes it back by itself.
    if (choice < 10) permit.settle(chance.below(permit.estimate + 1));
    else if (choice < 15) permit.release();
  }

  #endRead(): void {
    const { chance } = this.#context;
    const reservation = chance.takeFrom(this.#reservations);
    if (reservation === undefined) return;
    const choice = chance.below(16);
    if (choice < 10) reservation.settle(chance.below(reservation.estimate + 1));
    else if (choice < 15) reservation.release();
  }

  #ask(): void {
    const { chance, signals } = this.#context;
    this.#writes.isExceeded(`writer-${chance.below(WRITERS)}`);
    signals.abortOne();
  }

  #changeLimits(): void {
    const { chance } = this.#context;
    if (chance.oneIn(8)) this.#setLimits(FACTORS[chance.below(FACTORS.length)] ?? 1);
  }

  #setLimits(factor: number): void {
    this.#writes.updateLimit(ByteLimit.of(LIMIT * factor));
    this.#reads.updateLimit(ByteLimit.of(LIMIT * factor));
  }

  /** Closes both while copies wait, and goes on with new ones under the same metric names. */
  #reopen(): void {
    void this.#writes.close();
    void this.#reads.close();
    const permits = this.#permits;
    const reservations = this.#reservations;
    this.#permits = [];
    this.#reservations = [];
    for (const permit of permits) permit.release();
    for (const reservation of reservations) reservation.release();
    this.#writes = this.#makeWrites();
    this.#reads = this.#makeReads();
    this.#reopened += 1;
  }
}
