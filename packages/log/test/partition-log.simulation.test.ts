import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { type LogConfigInput, LogManager, type PartitionLog } from '../src/index.ts';
import { testBatch } from './support/batches.ts';
import { readAll, settled, TOPIC_ID } from './support/open-logs.ts';
import { SimulatedFileSystem } from './support/simulated-file-system.ts';

interface ModelBatch {
  readonly base: number;
  readonly last: number;
  readonly timestamp: number;
  readonly bytes: Buffer;
  /** Of the one idempotent producer; undefined for others. */
  readonly sequence: number | undefined;
}

/** A log as slow and as plain as can be: a list of batches. */
class ModelLog {
  batches: ModelBatch[] = [];
  end = 0;

  add(batch: Omit<ModelBatch, 'base' | 'last'>, count: number): void {
    this.batches.push({ base: this.end, last: this.end + count - 1, ...batch });
    this.end += count;
  }

  get lastOfProducer(): ModelBatch | undefined {
    return this.batches.findLast((batch) => batch.sequence !== undefined);
  }

  get nextSequence(): number {
    const last = this.lastOfProducer;
    return last === undefined ? 0 : (last.sequence ?? 0) + last.last - last.base + 1;
  }

  truncate(offset: number): void {
    const cut = this.batches.find((batch) => batch.last >= offset);
    this.end = cut?.base ?? Math.min(this.end, offset);
    this.batches = this.batches.filter((batch) => batch.last < offset);
  }

  bytesFrom(offset: number): Buffer {
    return Buffer.concat(this.batches.filter((b) => b.last >= offset).map((b) => b.bytes));
  }

  firstAtOrAfter(timestamp: number, from: number): number | undefined {
    for (const batch of this.batches) {
      for (let offset = batch.base; offset <= batch.last; offset += 1) {
        if (offset >= from && batch.timestamp + offset - batch.base >= timestamp) return offset;
      }
    }
    return undefined;
  }
}

class Simulation {
  readonly model = new ModelLog();
  readonly clock = new ManualClock();
  readonly random: RandomSource;
  readonly config: LogConfigInput;
  fs = new SimulatedFileSystem();
  manager!: LogManager;
  log!: PartitionLog;
  timestamp = 1_700_000_000_000;
  tag = 0;
  /** Everything below it was promised to survive a power cut. */
  durableEnd = 0;

  readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
    this.random = seededRandom(seed);
    this.config = {
      segmentBytes: 600 + this.below(2000),
      indexIntervalBytes: this.below(3) * 150,
      segmentIndexBytes: 24 + this.below(200),
      flushMessages: this.below(2) === 0 ? 1 : Number.POSITIVE_INFINITY,
      retentionBytes: this.below(2) === 0 ? -1 : 3000,
      fileDeleteDelayMs: this.below(2) * 50,
    };
  }

  below(bound: number): number {
    return randomBelow(this.random, bound);
  }

  async open(): Promise<void> {
    const { clock, fs, config } = this;
    const store = { directory: '/logs', fileSystem: fs };
    const maxOpenFiles = 1 + this.below(4);
    const hotBytes = this.below(2) * 1500;
    this.manager = await settled(
      LogManager.open(store, { defaults: config, maxOpenFiles, hotBytes }, { clock }),
      clock,
    );
    this.log = this.manager.get('t', 0) ?? this.manager.create('t', 0, TOPIC_ID);
  }

  async append(): Promise<void> {
    const waiting: Promise<void>[] = [];
    for (let i = 1 + this.below(5); i > 0; i -= 1) {
      const count = 1 + this.below(4);
      this.timestamp += this.below(10);
      this.tag = (this.tag + 1) % 256;
      const valueBytes = this.below(120);
      const { timestamp, tag } = this;
      const sequence = this.below(2) === 0 ? undefined : this.model.nextSequence;
      const producer =
        sequence === undefined ? {} : { producerId: 7, producerEpoch: 0, baseSequence: sequence };
      const batch = testBatch({ count, timestamp, valueBytes, tag, ...producer });
      const result = this.log.append(batch, { leaderEpoch: 3 });
      expect(result.baseOffset).toBe(this.model.end);
      this.model.add({ bytes: Buffer.from(batch), timestamp, sequence }, count);
      waiting.push(result.written);
    }
    this.repeatLast();
    await settled(Promise.all(waiting), this.clock);
    expect(this.log.logEndOffset).toBe(this.model.end);
    expect(this.log.highWatermark).toBe(this.model.end);
    if (this.config.flushMessages === 1) this.durableEnd = this.model.end;
  }

  /** The producer sends its last batch again, as after a lost answer. */
  repeatLast(): void {
    const last = this.model.lastOfProducer;
    if (last === undefined || last.base < this.log.firstSegmentOffset) return;
    const result = this.log.append(Buffer.from(last.bytes), { leaderEpoch: 3 });
    expect(result).toMatchObject({ baseOffset: last.base, duplicate: true });
  }

  async read(): Promise<void> {
    const from = this.log.localLogStartOffset;
    const offset = from + this.below(this.model.end - from + 1);
    const maxBytes = this.below(700);
    const minOneBatch = this.below(2) === 0;
    const result = this.log.read(offset, { maxBytes, minOneBatch, limit: 'high-watermark' });
    if (result.kind !== 'slice') throw new Error(result.kind);
    const { slice } = result;
    const target = Buffer.alloc(slice.sizeInBytes);
    const read = slice.isHot
      ? slice.readInto(target)
      : await settled(slice.readIntoAsync(target), this.clock);
    slice.release();
    const expected = this.model.bytesFrom(offset);
    expect(target.subarray(0, read).equals(expected.subarray(0, read))).toBe(true);
    const first = this.model.batches.find((batch) => batch.last >= offset);
    if (first === undefined) return;
    const fits = first.bytes.length <= maxBytes;
    expect(read > 0).toBe(fits || minOneBatch);
    if (read > first.bytes.length) expect(read).toBeLessThanOrEqual(maxBytes);
    const next = this.model.batches.find((batch) => batch.base === slice.nextOffset);
    if (read === 0) return;
    expect(next?.base ?? this.model.end).toBe(slice.nextOffset);
    // All that fits is given, up to the end of the segment.
    const ends = this.log.rolledSegments().map((segment) => segment.nextOffset);
    const isWhole = next === undefined || read + next.bytes.length > maxBytes;
    expect(isWhole || ends.includes(next.base)).toBe(true);
    if (slice.isHot && read > first.bytes.length) {
      expect(slice.sizeInBytes).toBeLessThanOrEqual(maxBytes);
    }
  }

  async findTime(): Promise<void> {
    const timestamp = 1_700_000_000_000 + this.below(this.timestamp - 1_700_000_000_000 + 5);
    const found = await settled(this.log.offsetForTimestamp(timestamp), this.clock);
    const from = this.log.localLogStartOffset;
    expect(found?.offset).toBe(this.model.firstAtOrAfter(timestamp, from));
  }

  async truncate(): Promise<void> {
    const from = this.log.localLogStartOffset;
    const offset = from + this.below(this.model.end - from + 1);
    await settled(this.log.truncateTo(offset), this.clock);
    this.model.truncate(offset);
    this.durableEnd = Math.min(this.durableEnd, this.model.end);
    expect(this.log.logEndOffset).toBe(this.model.end);
  }

  async restart(kind: 'clean' | 'process' | 'power'): Promise<void> {
    if (kind === 'clean') {
      await settled(this.manager.close(), this.clock);
      this.durableEnd = this.model.end;
      this.fs = this.fs.crash('process', this.random);
    } else {
      this.fs = this.fs.crash(kind, this.random);
      await this.clock.advanceAsync(0);
    }
    await this.open();
    const { log, model } = this;
    if (kind === 'power') {
      expect(log.logEndOffset).toBeGreaterThanOrEqual(this.durableEnd);
      model.truncate(log.logEndOffset);
      // The start of the log was stored, and what followed it was not: it begins there, empty.
      if (log.localLogStartOffset === log.logEndOffset) model.end = log.logEndOffset;
    }
    expect(log.logEndOffset).toBe(model.end);
    const report = this.manager.recoveryReports[0];
    if (kind === 'clean') expect(report?.recovered ?? false).toBe(false);
    this.durableEnd = Math.min(log.recoveryPoint, model.end);
    this.repeatLast();
  }

  async step(): Promise<void> {
    const dice = this.below(100);
    if (dice < 45) await this.append();
    else if (dice < 65) await this.read();
    else if (dice < 70) await this.findTime();
    else if (dice < 75) this.log.roll();
    else if (dice < 79) await this.flush();
    else if (dice < 82) await this.truncate();
    else if (dice < 86) await settled(this.manager.checkpoint(), this.clock);
    else if (dice < 89) this.log.applyRetention();
    else if (dice < 91) this.deleteRecords();
    else if (dice < 94) await this.clock.advanceAsync(this.below(100));
    else if (dice < 96) await this.restart('clean');
    else if (dice < 98) await this.restart('process');
    else await this.restart('power');
  }

  async flush(): Promise<void> {
    await settled(this.log.flush(), this.clock);
    this.durableEnd = this.model.end;
    expect(this.log.recoveryPoint).toBe(this.model.end);
  }

  deleteRecords(): void {
    const { logStartOffset, highWatermark } = this.log;
    const offset = logStartOffset + this.below(highWatermark - logStartOffset + 1);
    expect(this.log.deleteRecordsBefore(offset)).toBe(offset);
  }

  async run(steps: number): Promise<void> {
    await this.open();
    for (let step = 0; step < steps; step += 1) {
      try {
        await this.step();
        if (step % 20 === 19) await this.check();
      } catch (error) {
        throw new Error(`Seed ${this.seed} failed at step ${step}`, { cause: error });
      }
    }
  }

  async check(): Promise<void> {
    const from = this.log.localLogStartOffset;
    const all = await settled(readAll(this.log, from), this.clock);
    expect(all.equals(this.model.bytesFrom(from))).toBe(true);
    expect(this.log.leaderEpochs.length).toBeLessThanOrEqual(1);
  }
}

describe('a partition log beside a plain model of it', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    it(`keeps what it acknowledged through rolls, cuts, restarts and crashes (seed ${seed})`, async () => {
      await new Simulation(seed).run(120);
    });
  }
});
