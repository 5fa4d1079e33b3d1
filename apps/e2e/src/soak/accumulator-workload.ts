import { BufferPool } from '@logloft/bufferpool';
import { RecordAccumulator, type RecordBatch } from '@logloft/bufferpool/accumulator';
import { DELIVERY_FAILURE } from './wait-ledger.ts';
import type { SoakContext, Workload } from './workload.ts';

type Batch = RecordBatch<number, number>;

/** An accumulator with the pool that it draws on. */
interface Line {
  readonly pool: BufferPool;
  readonly accumulator: RecordAccumulator<number, number>;
}

const TOTAL_BYTES = 64 * 1024;
const BATCH_BYTES = 2048;
const PARTITIONS = 16;
const MAX_IN_FLIGHT = 24;
const REOPEN_ONE_IN = 16_000;

/** Appends, drains, deliveries, failures and retries; records are numbers: their size in bytes. */
export class AccumulatorWorkload implements Workload {
  readonly name = 'accumulator';
  readonly #context: SoakContext;
  #line: Line;
  #inFlight: Batch[] = [];
  /** Closed while records were on their way, which are still to be sent. */
  #closing: Line[] = [];
  #appended = 0;
  #reopened = 0;

  constructor(context: SoakContext) {
    this.#context = context;
    this.#line = this.#make();
  }

  step(): void {
    const { chance } = this.#context;
    const choice = chance.below(64);
    if (choice < 28) this.#tryAppend();
    else if (choice < 40) this.#append();
    else if (choice < 50) this.#drain();
    else if (choice < 62) this.#endOne();
    else if (choice < 63) this.#waitForBatches();
    else if (chance.oneIn(REOPEN_ONE_IN / 64)) this.#reopen();
    if (this.#inFlight.length > MAX_IN_FLIGHT) this.#endOne();
  }

  audit(): void {
    this.#closing = this.#closing.filter((line) => {
      sendAll(line);
      const { queuedBatches, inFlightBatches, waitingAppends } = line.accumulator.stats();
      if (queuedBatches + inFlightBatches + waitingAppends > 0) return true;
      const missing = TOTAL_BYTES - line.pool.stats().availableBytes;
      if (missing !== 0) this.#note(`${missing} B missing behind a closed accumulator`);
      return false;
    });
  }

  giveBack(): void {
    while (this.#inFlight.length > 0) this.#complete();
    sendAll(this.#line);
    this.audit();
    // Those who wait for a batch to be ready would wait for ever.
    if (this.#context.waits.pending > 0) this.#tryAppend();
  }

  get outstandingBytes(): number {
    const lines = [this.#line, ...this.#closing];
    return lines.reduce((sum, { pool }) => sum + TOTAL_BYTES - pool.stats().availableBytes, 0);
  }

  describe(): string {
    return `${this.name} took ${this.#appended} records and was made anew ${this.#reopened} times`;
  }

  async close(): Promise<void> {
    // It is empty by now; if it is not, closing it in order would wait for ever.
    this.#line.accumulator.abort();
    await this.#line.pool.close();
  }

  #make(): Line {
    const { clock } = this.#context;
    const pool = new BufferPool({ totalBytes: TOTAL_BYTES, poolableBytes: BATCH_BYTES }, { clock });
    const accumulator = new RecordAccumulator<number, number>(
      {
        estimatedBytes: (record) => record,
        lingerMs: 50,
        retryBackoffMs: 20,
        retryBackoffMaxMs: 400,
        deliveryTimeoutMs: 3000,
        maxWaiters: 100,
      },
      { pool, clock },
    );
    return { pool, accumulator };
  }

  #tryAppend(): void {
    const { chance } = this.#context;
    const batch = this.#line.accumulator.tryAppend(chance.below(PARTITIONS), this.#record());
    if (batch !== undefined) this.#noteAppended(batch);
  }

  #append(): void {
    const { chance, signals, waits } = this.#context;
    const options = { maxBlockMs: 1 + chance.below(2000), signal: signals.signal() };
    const { accumulator } = this.#line;
    const wait = accumulator.append(chance.below(PARTITIONS), this.#record(), options);
    waits.watch(wait, (batch) => this.#noteAppended(batch));
  }

  #record(): number {
    const { chance } = this.#context;
    return chance.oneIn(32) ? chance.below(4 * BATCH_BYTES) : 64 + chance.below(BATCH_BYTES / 2);
  }

  #noteAppended(batch: Batch): void {
    this.#appended += 1;
    const { chance, waits } = this.#context;
    if (chance.oneIn(8)) waits.watch(batch.settled(), () => undefined);
  }

  #drain(): void {
    this.#inFlight.push(...this.#line.accumulator.drain(4 * BATCH_BYTES));
  }

  #endOne(): void {
    const choice = this.#context.chance.below(10);
    if (choice < 7) {
      this.#complete();
      return;
    }
    const batch = this.#context.chance.takeFrom(this.#inFlight);
    if (batch === undefined) return;
    if (choice < 8) this.#line.accumulator.fail(batch, DELIVERY_FAILURE);
    else this.#line.accumulator.retry(batch, DELIVERY_FAILURE);
  }

  #complete(): void {
    const batch = this.#context.chance.takeFrom(this.#inFlight);
    if (batch !== undefined) this.#line.accumulator.complete(batch);
  }

  #waitForBatches(): void {
    const { chance, signals, waits } = this.#context;
    const { accumulator } = this.#line;
    const options = { signal: signals.signal() };
    const wait = chance.oneIn(4) ? accumulator.flush(options) : accumulator.whenReady(options);
    waits.watch<unknown>(wait, () => undefined);
  }

  /** Closes it, or gives all up, while records wait and batches are in flight; goes on with a new one. */
  #reopen(): void {
    const { chance, waits } = this.#context;
    const { accumulator } = this.#line;
    if (chance.oneIn(2)) accumulator.abort();
    else waits.watch(accumulator.close(), () => undefined);
    for (const batch of this.#inFlight) accumulator.fail(batch, DELIVERY_FAILURE);
    this.#inFlight = [];
    this.#closing.push(this.#line);
    this.#line = this.#make();
    this.#reopened += 1;
  }

  #note(text: string): void {
    this.#context.findings.note('memory', `${this.name}: ${text}`);
  }
}

/** Delivers what may be taken now. */
function sendAll({ accumulator }: Line): void {
  for (;;) {
    const batches = accumulator.drain(TOTAL_BYTES);
    if (batches.length === 0) return;
    for (const batch of batches) accumulator.complete(batch);
  }
}
