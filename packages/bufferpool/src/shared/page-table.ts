import { type SharedLayout, WORD } from './shared-layout.ts';

/** Bytes out in the hands of one owner. */
export interface HeldPages {
  readonly ownerId: number;
  readonly pages: number;
}

/**
 * Which page belongs to whom. The table of owners is the truth; what is counted besides can be
 * counted again. Every method must be called inside the lock.
 */
export class PageTable {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #owners: Int32Array<SharedArrayBuffer>;

  constructor(layout: SharedLayout) {
    this.#words = layout.words;
    this.#owners = layout.owners;
  }

  get freePages(): number {
    return this.#words[WORD.freePages] ?? 0;
  }

  /**
   * The first of `count` free pages in a row, or -1. Single pages are found from the start of the
   * memory and longer rows from its end, which keeps room for the latter together.
   */
  find(count: number): number {
    if (count > this.freePages) return -1;
    return count === 1 ? this.#findOne() : this.#findRow(count);
  }

  take(first: number, count: number, owner: number): void {
    this.#owners.fill(owner, first, first + count);
    this.#words[WORD.freePages] = this.freePages - count;
  }

  give(first: number, count: number): void {
    this.#owners.fill(0, first, first + count);
    this.#words[WORD.freePages] = this.freePages + count;
    if (first < this.#lowestFree) this.#words[WORD.lowestFree] = first;
  }

  /** Whether `count` pages from `first` on all belong to `owner`. */
  belongTo(owner: number, first: number, count: number): boolean {
    for (let page = first; page < first + count; page += 1) {
      if (this.#owners[page] !== owner) return false;
    }
    return true;
  }

  /** Frees all pages of `owner`, and counts anew. Returns how many it had. */
  reclaim(owner: number): number {
    let reclaimed = 0;
    let free = 0;
    for (let page = 0; page < this.#owners.length; page += 1) {
      if (this.#owners[page] === owner) {
        this.#owners[page] = 0;
        reclaimed += 1;
      }
      if (this.#owners[page] === 0) free += 1;
    }
    this.#words[WORD.freePages] = free;
    this.#words[WORD.lowestFree] = 0;
    return reclaimed;
  }

  /** Who holds how many pages. */
  held(): HeldPages[] {
    const pages = new Map<number, number>();
    for (const owner of this.#owners) {
      if (owner !== 0) pages.set(owner, (pages.get(owner) ?? 0) + 1);
    }
    return [...pages].map(([ownerId, count]) => ({ ownerId, pages: count }));
  }

  /** The longest row of free pages. */
  longestRow(): number {
    let longest = 0;
    let row = 0;
    for (const owner of this.#owners) {
      row = owner === 0 ? row + 1 : 0;
      if (row > longest) longest = row;
    }
    return longest;
  }

  get #lowestFree(): number {
    return this.#words[WORD.lowestFree] ?? 0;
  }

  #findOne(): number {
    for (let page = this.#lowestFree; page < this.#owners.length; page += 1) {
      if (this.#owners[page] !== 0) continue;
      this.#words[WORD.lowestFree] = page;
      return page;
    }
    return -1;
  }

  #findRow(count: number): number {
    let row = 0;
    for (let page = this.#owners.length - 1; page >= this.#lowestFree; page -= 1) {
      row = this.#owners[page] === 0 ? row + 1 : 0;
      if (row === count) return page;
    }
    return -1;
  }
}
