import type { MemoryBudget } from './memory-budget.ts';
import { StoredBytes } from './stored-bytes.ts';

const BLOCK_BYTES_MIN = 4 * 1024;
const BLOCK_BYTES_MAX = 1024 * 1024;

/**
 * Gathers a body piece by piece within a budget. The pieces are copied into blocks that grow with the
 * body: a body sent in a million pieces of one byte must not cost a million buffers, and nothing of
 * the connection's own buffers is held on to.
 */
export class BytesCollector {
  readonly #budget: MemoryBudget;
  #full: Buffer[] = [];
  #block: Buffer | undefined;
  #fill = 0;
  #size = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** @throws MemoryBudgetError when the budget is spent; what was gathered stays */
  push(piece: Uint8Array): void {
    this.#budget.reserve(piece.length);
    this.#size += piece.length;
    let at = 0;
    while (at < piece.length) {
      const block = this.#openBlock(piece.length - at);
      const count = Math.min(block.length - this.#fill, piece.length - at);
      block.set(piece.subarray(at, at + count), this.#fill);
      this.#fill += count;
      at += count;
    }
  }

  /** Hands over what was gathered; its bytes stay reserved. The collector is then empty. */
  finish(): StoredBytes {
    const pieces = this.#full;
    if (this.#block !== undefined) {
      const used = this.#block.subarray(0, this.#fill);
      // A copy only where it saves something, so that small objects take no large block; not in Node's
      // pool, where one small object that stays would hold all of its 64 KiB.
      pieces.push(used.length < this.#block.length ? copyAlone(used) : used);
    }
    this.#reset();
    return new StoredBytes(pieces);
  }

  /** Forgets what was gathered, and gives its bytes back. Does nothing behind {@link finish}. */
  discard(): void {
    this.#budget.release(this.#size);
    this.#reset();
  }

  #openBlock(wanted: number): Buffer {
    if (this.#block !== undefined && this.#fill < this.#block.length) return this.#block;
    if (this.#block !== undefined) this.#full.push(this.#block);
    const target = Math.max(wanted, this.#size, BLOCK_BYTES_MIN);
    this.#block = Buffer.allocUnsafeSlow(Math.min(target, BLOCK_BYTES_MAX));
    this.#fill = 0;
    return this.#block;
  }

  #reset(): void {
    this.#full = [];
    this.#block = undefined;
    this.#fill = 0;
    this.#size = 0;
  }
}

function copyAlone(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
