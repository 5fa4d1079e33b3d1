import { ManualClock } from '@logloft/clock';
import { ByteLimit } from '../byte-limit.ts';
import type { CopyPermit } from '../copy-permit.ts';
import { WriteQuotaManager } from '../write-quota-manager.ts';
import { type LabPolicy, limitAt, type ResolvedScenario } from './lab-scenario.ts';
import { PartitionBacklog } from './partition-backlog.ts';
import { passTime } from './pass-time.ts';
import { SlotPool } from './slot-pool.ts';
import { TransferLog } from './transfer-log.ts';

/** Into how many pieces at most the backlog is cut where bytes are paced. */
const MOST_PIECES = 20_000;

/** What came of a run. */
export interface RunOutcome {
  readonly transfers: TransferLog;
  /** Until when it was simulated. */
  readonly endMs: number;
  /** When no complete segment was left for the first time. */
  readonly drainedAtMs: number | undefined;
  /** How often a task gave up its run because the quota was exhausted. */
  readonly refusals: number;
}

/** One scenario under one policy, with the real write quota on a clock moved by hand. */
export class LabRun {
  readonly #scenario: ResolvedScenario;
  readonly #policy: LabPolicy;
  readonly #clock = new ManualClock({ startMs: 0 });
  readonly #quota: WriteQuotaManager;
  readonly #partitions: readonly PartitionBacklog[];
  readonly #slots: SlotPool;
  readonly #transfers = new TransferLog();
  #isCopying = 0;
  #drainedAtMs: number | undefined;
  #refusals = 0;
  #failure: unknown;

  constructor(scenario: ResolvedScenario, policy: LabPolicy) {
    const { writers, partitions, samples, windowSeconds, scope, segmentBytes } = scenario;
    this.#scenario = scenario;
    this.#policy = policy;
    this.#slots = new SlotPool(writers);
    this.#quota = new WriteQuotaManager({
      clock: this.#clock,
      limit: this.#limitAt(0),
      samples,
      windowSeconds,
      scope,
      exhausted: policy === 'none' ? 'abort' : policy,
    });
    this.#partitions = shares(scenario.backlogBytes, segmentBytes, partitions).map(
      (backlogBytes) =>
        new PartitionBacklog({
          backlogBytes,
          segmentBytes,
          ingestBytesPerSecond: scenario.ingestBytesPerSecond / partitions,
        }),
    );
  }

  async simulate(): Promise<RunOutcome> {
    const { maxMs, limitChanges } = this.#scenario;
    for (const { atMs } of limitChanges) {
      this.#clock.setTimer(atMs, () => this.#quota.updateLimit(this.#limitAt(atMs)));
    }
    for (const partition of this.#partitions) {
      // Tasks that wait when the run is over are never woken, and go with their clock.
      this.#runTask(partition).catch((error: unknown) => {
        this.#failure ??= error;
      });
    }
    const isOver = (): boolean => this.#drainedAtMs !== undefined || this.#failure !== undefined;
    await passTime(this.#clock, maxMs, isOver);
    if (this.#failure !== undefined) throw this.#failure;
    const endMs = this.#clock.monotonic();
    await this.#quota.close();
    return {
      transfers: this.#transfers,
      endMs,
      drainedAtMs: this.#drainedAtMs,
      refusals: this.#refusals,
    };
  }

  #limitAt(atMs: number): ByteLimit {
    return this.#policy === 'none' ? ByteLimit.unlimited : limitAt(this.#scenario, atMs);
  }

  /** The copy task of a partition: runs with a pause between them. */
  async #runTask(partition: PartitionBacklog): Promise<void> {
    while (this.#drainedAtMs === undefined) {
      const writer = await this.#slots.acquire();
      await this.#copySegments(partition, writer);
      this.#slots.release(writer);
      await this.#sleep(this.#scenario.taskIntervalMs);
    }
  }

  /** One run: all segments there are, or until the quota refuses one. */
  async #copySegments(partition: PartitionBacklog, writer: string): Promise<void> {
    for (;;) {
      const bytes = partition.nextBytes(this.#clock.monotonic());
      if (bytes === 0) return;
      const permit = await this.#quota.admit({ writer, bytes });
      if (permit === undefined) {
        this.#refusals += 1;
        return;
      }
      await this.#copySegment(partition, permit);
    }
  }

  async #copySegment(partition: PartitionBacklog, permit: CopyPermit): Promise<void> {
    const { estimate: bytes, pacer } = permit;
    this.#isCopying += 1;
    const pieceBytes = pacer === undefined ? bytes : this.#pieceBytes(pacer.sliceBytes ?? bytes);
    for (let sent = 0; sent < bytes; ) {
      const piece = Math.min(pieceBytes, bytes - sent);
      await pacer?.take(piece, {});
      await this.#send(piece);
      sent += piece;
    }
    permit.settle(bytes);
    partition.advance();
    this.#isCopying -= 1;
    this.#noteIfDrained();
  }

  async #send(bytes: number): Promise<void> {
    const fromMs = this.#clock.monotonic();
    await this.#sleep((bytes / this.#scenario.uploadBytesPerSecond) * 1000);
    const toMs = this.#clock.monotonic();
    this.#transfers.add({ fromMs, toMs, bytes });
  }

  #noteIfDrained(): void {
    const nowMs = this.#clock.monotonic();
    if (this.#isCopying > 0 || this.#partitions.some((one) => one.nextBytes(nowMs) > 0)) return;
    this.#drainedAtMs ??= nowMs;
  }

  /** Stores take a slice at a time; the lab takes more where nobody could see the difference. */
  #pieceBytes(sliceBytes: number): number {
    const { backlogBytes, ingestBytesPerSecond, maxMs, segmentBytes } = this.#scenario;
    const allBytes = backlogBytes + (ingestBytesPerSecond * maxMs) / 1000;
    const pieceBytes = Math.max(sliceBytes, Math.ceil(allBytes / MOST_PIECES));
    return Math.min(pieceBytes, segmentBytes);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(ms, resolve));
  }
}

/** Whole segments dealt out one by one; what is left over goes with the last. */
function shares(bytes: number, segmentBytes: number, partitions: number): readonly number[] {
  const segments = Math.ceil(bytes / segmentBytes);
  const sizes = Array.from({ length: partitions }, (_, index) => {
    const own = Math.floor(segments / partitions) + (index < segments % partitions ? 1 : 0);
    return own * segmentBytes;
  });
  const missing = segments * segmentBytes - bytes;
  const last = (segments - 1) % partitions;
  return sizes.map((size, index) => (index === last ? size - missing : size));
}
