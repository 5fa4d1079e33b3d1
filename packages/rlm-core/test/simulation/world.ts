import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { ByteLimit } from '@logloft/quota';
import { InMemoryEventLog, isRemoteLogError, RemoteLogManager } from '../../src/index.ts';
import { ModelLog } from '../support/model-log.ts';
import { type Fault, ModelStore, type StoreOperation } from '../support/model-store.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { orders3 } from '../support/segments.ts';
import { FencedEventLog, fencedLog, fencedStore, Life } from './fenced.ts';

/** Samples and seconds of the write quota in the simulation. */
export const WINDOW = { samples: 5, seconds: 1 } as const;

/** A copy that was admitted and completed. */
export interface AdmittedCopy {
  readonly atMs: number;
  readonly bytes: number;
}

/** A move of the log start that expiration made, and the limits by which it did. */
export interface Expiration {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
  readonly retentionMs: number;
  readonly retentionBytes: number;
  readonly logEndOffset: number;
}

/** One broker with one partition, a store that fails, and a user who does all that users do. */
export class World {
  readonly clock = new ManualClock();
  readonly store = new ModelStore(this.clock);
  readonly eventLog = new InMemoryEventLog(3);
  readonly log = new ModelLog({ localRetentionMs: 0 });
  readonly random: RandomSource;
  /** Copies of the present life: a quota starts anew with its process. */
  readonly copies: AdmittedCopy[] = [];
  readonly expirations: Expiration[] = [];
  /** The highest limit of the present life, in bytes per second. */
  highestLimit = Number.POSITIVE_INFINITY;
  reads = 0;
  remoteReads = 0;
  crashes = 0;
  readonly #copyStarts = new Map<string, number>();
  #faultPercent = 0;
  #life = new Life();
  #manager: RemoteLogManager;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.store.faultOf = (operation, segment) => {
      if (operation === 'copy') {
        this.#copyStarts.set(segment.remoteLogSegmentId.id, this.clock.monotonic());
      }
      return this.#fault(operation);
    };
    this.store.onCopied = (segment) => {
      const atMs = this.#copyStarts.get(segment.remoteLogSegmentId.id) ?? 0;
      this.copies.push({ atMs, bytes: segment.segmentSizeInBytes });
    };
    this.#manager = this.#newManager();
  }

  get manager(): RemoteLogManager {
    return this.#manager;
  }

  /** Does something at random, and names it. */
  async step(): Promise<string> {
    const actions: readonly (readonly [string, number, () => Promise<void> | void])[] = [
      ['append', 30, () => this.#append()],
      ['pass time', 30, () => this.clock.advanceAsync(this.#below(4_000))],
      ['pass much time', 4, () => this.clock.advanceAsync(20_000 + this.#below(60_000))],
      ['local retention', 14, () => void this.log.applyLocalRetention()],
      ['read', 25, () => this.#read()],
      ['retention', 6, () => this.#changeRetention()],
      ['write limit', 4, () => this.#changeWriteLimit()],
      ['weather', 8, () => this.#changeWeather()],
      ['crash', 6, () => this.#crash()],
      ['lose and win leadership', 4, () => this.#loseLeadership()],
      ['delete records', 2, () => this.#deleteRecords()],
      ['transaction', 4, () => this.#transaction()],
      ['copy disable', 2, () => this.#toggleCopy()],
    ];
    let pick = this.#below(actions.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [name, weight, act] of actions) {
      pick -= weight;
      if (pick >= 0) continue;
      await act();
      return name;
    }
    return 'nothing';
  }

  async start(): Promise<void> {
    this.#manager.start();
    const log = fencedLog(this.log, this.#life, (to) => this.#noteExpiration(to));
    await this.#manager.onLeadershipChange({ leaders: [log] });
  }

  /** Ends all trouble, and lets the broker come to rest. */
  async heal(): Promise<void> {
    this.#faultPercent = 0;
    this.log.openTransactionAt = undefined;
    this.log.config = { ...this.log.config, remoteLogCopyDisable: false };
    await this.#crash();
    this.#manager.updateWriteLimit(ByteLimit.unlimited);
    this.highestLimit = Number.POSITIVE_INFINITY;
    await this.clock.advanceAsync(120_000);
    this.log.applyLocalRetention();
    // Nothing shall expire any more just before the end.
    this.log.config = { ...this.log.config, retentionMs: -1, retentionBytes: -1 };
    await this.clock.advanceAsync(10_000);
  }

  #below(bound: number): number {
    return randomBelow(this.random, bound);
  }

  #newManager(): RemoteLogManager {
    const life = this.#life;
    const limit = Number.isFinite(this.highestLimit)
      ? ByteLimit.of(this.highestLimit)
      : ByteLimit.unlimited;
    return new RemoteLogManager(
      {
        brokerId: 1,
        clock: this.clock,
        random: this.random,
        logger: new RecordingLogger(),
        metrics: new MetricsRegistry({ clock: this.clock }),
        store: fencedStore(this.store, life),
        eventLog: new FencedEventLog(this.eventLog, life, this.clock, this.random),
      },
      {
        taskIntervalMs: 500,
        retryBackoffMs: 200,
        retryBackoffMaxMs: 2_000,
        copyStallTimeoutMs: 10_000,
        deleteTimeoutMs: 10_000,
        fetchTimeoutMs: 5_000,
        writeWindowNum: WINDOW.samples,
        writeWindowSeconds: WINDOW.seconds,
        writeLimit: limit,
      },
      { consumeWaitMs: 5_000 },
    );
  }

  #fault(operation: StoreOperation): Fault | undefined {
    if (this.#below(100) >= this.#faultPercent) return undefined;
    const faults: Fault[] = [
      { kind: 'slow', ms: this.#below(3_000) },
      { kind: 'fail', retryable: true },
      { kind: 'fail', retryable: false },
      { kind: 'half' },
    ];
    if (operation === 'copy' || this.#below(3) === 0) faults.push({ kind: 'hang' });
    return faults[this.#below(faults.length)];
  }

  #append(): void {
    const count = 1 + this.#below(5);
    for (let i = 0; i < count; i += 1) {
      this.log.append({
        records: 1 + this.#below(3),
        bytes: this.#below(120),
        timestampMs: this.clock.now(),
      });
      if (this.#below(3) === 0) this.log.roll();
    }
  }

  async #read(): Promise<void> {
    const { log } = this;
    const remote = log.localLogStartOffset - log.logStartOffset;
    const span = remote > 0 && this.#below(3) > 0 ? remote : log.logEndOffset - log.logStartOffset;
    if (span === 0) return;
    const offset = log.logStartOffset + this.#below(span);
    this.reads += 1;
    if (offset >= log.localLogStartOffset) {
      if (log.readLocal(offset) === undefined) throw new Error(`offset ${offset} is not local`);
      return;
    }
    const maxBytes = 1 + this.#below(2_000);
    const outcome = this.#manager
      .fetch(orders3, { offset, maxBytes })
      .then((result) => ({ result, error: undefined }))
      .catch((error: unknown) => ({ result: undefined, error }));
    const start = log.logStartOffset;
    await this.clock.advanceAsync(15_000);
    const { result, error } = await outcome;
    if (error !== undefined) {
      const lost = isRemoteLogError(error, 'LOGLOFT_RLM_OFFSET_OUT_OF_RANGE');
      const corrupt = isRemoteLogError(error, 'LOGLOFT_RLM_CORRUPT_BATCH');
      if ((lost && offset >= log.logStartOffset) || corrupt) throw error;
      return;
    }
    if (result?.throttled !== false || start !== log.logStartOffset) return;
    this.remoteReads += 1;
    this.#compare(offset, result.records);
  }

  #compare(offset: number, records: Buffer): void {
    const from = this.log.history.findIndex((batch) => batch.lastOffset >= offset);
    let at = 0;
    for (const batch of this.log.history.slice(from)) {
      if (at === records.length && at > 0) return;
      if (!batch.bytes.equals(records.subarray(at, at + batch.bytes.length))) {
        throw new Error(`the batch at ${batch.baseOffset}, read from ${offset}, is another one`);
      }
      at += batch.bytes.length;
    }
  }

  #noteExpiration(to: number): void {
    const { config, logStartOffset: from, logEndOffset } = this.log;
    const { retentionMs, retentionBytes } = config;
    const atMs = this.clock.now();
    this.expirations.push({ from, to, atMs, retentionMs, retentionBytes, logEndOffset });
  }

  #changeRetention(): void {
    const retentionMs = this.#below(3) > 0 ? -1 : 20_000 + this.#below(300_000);
    const retentionBytes = this.#below(3) > 0 ? -1 : 2_000 + this.#below(20_000);
    this.log.config = { ...this.log.config, retentionMs, retentionBytes };
  }

  #changeWriteLimit(): void {
    const limit = this.#below(3) === 0 ? Number.POSITIVE_INFINITY : 50 + this.#below(2_000);
    this.#manager.updateWriteLimit(ByteLimit.of(limit));
    this.highestLimit = Math.max(this.highestLimit, limit);
  }

  #changeWeather(): void {
    this.#faultPercent = [0, 0, 10, 40, 90][this.#below(5)] ?? 0;
  }

  async #crash(): Promise<void> {
    this.crashes += 1;
    this.#life.crash();
    // Nothing that it still does is seen; this only takes its timers away.
    void this.#manager.close();
    this.copies.length = 0;
    this.highestLimit = this.#below(2) === 0 ? Number.POSITIVE_INFINITY : 200 + this.#below(1_000);
    this.log.restart();
    this.log.newEpoch();
    this.#life = new Life();
    this.#manager = this.#newManager();
    await this.start();
  }

  async #loseLeadership(): Promise<void> {
    const stopped = this.#manager.onStopPartitions([orders3]);
    await this.clock.advanceAsync(10_000);
    await stopped;
    this.log.newEpoch();
    await this.start();
  }

  async #deleteRecords(): Promise<void> {
    const { highWatermark, logStartOffset } = this.log;
    const span = highWatermark - logStartOffset;
    const part = this.#below(4) === 0 ? span : Math.ceil(span / 5);
    if (span > 0) await this.log.advanceLogStartOffset(logStartOffset + this.#below(part));
  }

  #transaction(): void {
    const open = this.log.openTransactionAt !== undefined;
    this.log.openTransactionAt = open ? undefined : this.log.logEndOffset;
  }

  #toggleCopy(): void {
    const { config } = this.log;
    this.log.config = { ...config, remoteLogCopyDisable: !config.remoteLogCopyDisable };
  }
}
