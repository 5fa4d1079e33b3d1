import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { SharedBufferPool } from '../../src/shared/index.ts';
import { PageTable } from '../../src/shared/page-table.ts';
import { SharedCore } from '../../src/shared/shared-core.ts';
import { NO_SLOT, SharedLayout, WORD } from '../../src/shared/shared-layout.ts';
import { SLOT_STATE } from '../../src/shared/ticket-queue.ts';

const OPERATIONS = 100_000;
const PAGE_BYTES = 64;

test.each([
  { seed: 1, pages: 8 },
  { seed: 2, pages: 40 },
])(
  'seed $seed: over 100,000 random operations of four owners, memory is conserved and no page has two owners',
  async (run) => {
    const session = new Session(run);
    for (let operation = 0; operation < OPERATIONS; operation += 1) {
      await session.step(operation);
    }
    await session.finish();
  },
  60_000,
);

interface Held {
  readonly pool: SharedBufferPool;
  readonly buffer: Buffer;
  readonly mark: number;
}

/** Four owners at one memory, driven by one sequence of operations. */
class Session {
  readonly #seed: number;
  readonly #random: RandomSource;
  readonly #clock = new ManualClock();
  readonly #totalBytes: number;
  readonly #maker: SharedBufferPool;
  readonly #pools: readonly SharedBufferPool[];
  readonly #held: Held[] = [];
  #asked = 0;
  #granted = 0;
  #failed = 0;

  constructor(run: { readonly seed: number; readonly pages: number }) {
    this.#seed = run.seed;
    this.#random = seededRandom(run.seed);
    this.#totalBytes = run.pages * PAGE_BYTES;
    this.#maker = SharedBufferPool.create(
      { totalBytes: this.#totalBytes, poolableBytes: PAGE_BYTES },
      { clock: this.#clock },
    );
    const others = [1, 2, 3].map(() =>
      SharedBufferPool.join(this.#maker.seat(), { clock: this.#clock }),
    );
    this.#pools = [this.#maker, ...others];
  }

  async step(operation: number): Promise<void> {
    const dice = randomBelow(this.#random, 100);
    if (dice < 50) this.#allocate();
    else if (dice < 90) this.#releaseAny();
    else this.#clock.advance(randomBelow(this.#random, 10));
    await Promise.resolve();
    // Notifications between owners are tasks of the event loop.
    if (operation % 64 === 0) await turnOfEventLoop();
    const { availableBytes, grantedBytes } = this.#maker.stats();
    if (availableBytes + grantedBytes !== this.#totalBytes || availableBytes < 0) {
      expect.fail(
        `seed ${this.#seed}, operation ${operation}: ${JSON.stringify(this.#maker.stats())}`,
      );
    }
  }

  async finish(): Promise<void> {
    this.#clock.advance(1000);
    while (this.#granted + this.#failed < this.#asked || this.#held.length > 0) {
      while (this.#held.length > 0) this.#releaseAny();
      await turnOfEventLoop();
    }
    const message = `seed ${this.#seed}, at the end`;
    expect(this.#failed, message).toBeGreaterThan(1000);
    const stats = { availableBytes: this.#totalBytes, grantedBytes: 0, waiters: 0 };
    expect(this.#maker.stats(), message).toMatchObject(stats);
    expect(this.#clock.pendingTimers, message).toBe(0);
  }

  #allocate(): void {
    const pool = this.#pools[randomBelow(this.#random, this.#pools.length)] ?? this.#maker;
    const abort = randomBelow(this.#random, 4) === 0 ? new AbortController() : undefined;
    const how = { maxBlockMs: randomBelow(this.#random, 30), signal: abort?.signal };
    this.#asked += 1;
    pool.allocate(anySize(this.#random, this.#totalBytes), how).then(
      (buffer) => this.#keep(pool, buffer),
      () => {
        this.#failed += 1;
      },
    );
    abort?.abort();
  }

  /** Marks a buffer, so that it shows when somebody else writes into it. */
  #keep(pool: SharedBufferPool, buffer: Buffer): void {
    this.#granted += 1;
    const mark = this.#granted % 251;
    this.#held.push({ pool, buffer: buffer.fill(mark), mark });
  }

  #releaseAny(): void {
    const at = randomBelow(this.#random, Math.max(1, this.#held.length));
    const [held] = this.#held.splice(at, 1);
    if (held === undefined) return;
    const { pool, buffer, mark } = held;
    if (buffer.some((byte) => byte !== mark)) {
      expect.fail(`seed ${this.#seed}: somebody wrote into a buffer that is out`);
    }
    pool.deallocate(buffer);
  }
}

test('a thread that dies at any step inside the lock leaves nothing that reclaiming does not mend', () => {
  const random = seededRandom(3);
  for (let run = 0; run < 3000; run += 1) {
    const { core, layout, owners } = makeCore(random);
    const [dead = 0, ...alive] = owners;
    const held = alive.map((owner) => core.take(owner, 1 + randomBelow(random, 2)));
    core.take(dead, 3);
    for (let i = 0; i < 6; i += 1) {
      const owner = owners[randomBelow(random, owners.length)] ?? dead;
      core.queue.append(owner, 1 + randomBelow(random, 5), false);
    }
    const waiting = waitingOf(core, alive);
    dieHalfway(random, core, layout, dead);
    core.reclaim(dead);
    const message = `seed 3, run ${run}`;
    const pages = new PageTable(layout);
    const heldPages = pages.held();
    const heldCount = heldPages.reduce((sum, each) => sum + each.pages, 0);
    expect(
      heldPages.map(({ ownerId }) => ownerId),
      message,
    ).not.toContain(dead);
    expect(pages.freePages + heldCount, message).toBe(layout.shape.pages);
    // Each waiter that lives is served or waits, in order; what lives kept what it held.
    expect(core.queue.usedSlots().sort(byNumber), message).toEqual(waiting.sort(byNumber));
    expect(isInOrder(core, layout), message).toBe(true);
    expect(held.length, message).toBe(3);
    const head = core.queue.head;
    if (head !== NO_SLOT) expect(pages.find(core.queue.pagesOf(head)), message).toBe(-1);
  }
});

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function anySize(random: RandomSource, totalBytes: number): number {
  const dice = randomBelow(random, 10);
  if (dice < 5) return PAGE_BYTES;
  return dice === 5 ? randomBelow(random, totalBytes + 1) : randomBelow(random, PAGE_BYTES * 3);
}

function makeCore(random: RandomSource) {
  const pages = 9 + randomBelow(random, 4);
  const layout = SharedLayout.create({ pages, pageBytes: 8, maxWaiters: 16, maxThreads: 4 });
  const core = new SharedCore(layout);
  return { core, layout, owners: [core.seat(), core.seat(), core.seat(), core.seat()] };
}

/** What the stages of a change look like when the thread stops in the middle of one. */
function dieHalfway(
  random: RandomSource,
  core: SharedCore,
  layout: SharedLayout,
  dead: number,
): void {
  const { owners, words } = layout;
  const own = [...owners.keys()].filter((page) => owners[page] === dead);
  // A part of its pages given back, without the count.
  for (const page of own.slice(randomBelow(random, own.length + 1))) owners[page] = 0;
  const { head } = core.queue;
  if (head !== NO_SLOT && randomBelow(random, 2) === 0) {
    const first = new PageTable(layout).find(core.queue.pagesOf(head));
    if (first >= 0) {
      core.queue.setFirstPage(head, first);
      core.queue.setState(head, SLOT_STATE.granting);
      const marked = randomBelow(random, core.queue.pagesOf(head) + 1);
      owners.fill(core.queue.ownerOf(head), first, first + marked);
    }
  }
  // Links and counts in any state.
  words[WORD.queueHead] = randomBelow(random, 17) - 1;
  words[WORD.queueTail] = randomBelow(random, 17) - 1;
  words[WORD.queueLength] = randomBelow(random, 20);
  words[WORD.freePages] = randomBelow(random, 20);
}

function waitingOf(core: SharedCore, owners: readonly number[]): number[] {
  return core.queue.usedSlots().filter((slot) => owners.includes(core.queue.ownerOf(slot)));
}

/** Whether all that were served came before all that still wait. */
function isInOrder(core: SharedCore, layout: SharedLayout): boolean {
  let lastGranted = -1;
  let firstWaiting = Number.POSITIVE_INFINITY;
  for (const slot of core.queue.usedSlots()) {
    const ticket = layout.tickets[slot] ?? 0;
    if (core.queue.stateOf(slot) === SLOT_STATE.granted)
      lastGranted = Math.max(lastGranted, ticket);
    else firstWaiting = Math.min(firstWaiting, ticket);
  }
  return lastGranted < firstWaiting;
}

function byNumber(a: number, b: number): number {
  return a - b;
}
