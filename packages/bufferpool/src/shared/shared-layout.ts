import { BufferPoolError } from '../errors.ts';

/** What decides how the shared memory of a pool is laid out. All integers >= 1. */
export interface SharedShape {
  readonly pages: number;
  readonly pageBytes: number;
  readonly maxWaiters: number;
  readonly maxThreads: number;
}

type Word =
  | 'magic'
  | 'lock'
  | 'contenders'
  | 'closed'
  | 'pages'
  | 'pageBytes'
  | 'maxWaiters'
  | 'maxThreads'
  | 'freePages'
  | 'lowestFree'
  | 'queueHead'
  | 'queueTail'
  | 'queueLength'
  | 'nextSlot'
  | 'generation';

type SlotWord = 'state' | 'owner' | 'pages' | 'firstPage' | 'previous' | 'next' | 'sleeps';

/** Words at the start of the memory, each an Int32 that all threads see. */
export const WORD: Readonly<Record<Word, number>> = Object.freeze({
  magic: 0,
  /** Id of the owner inside, 0 when nobody is. */
  lock: 1,
  /** How many sleep until {@link WORD.lock} changes. */
  contenders: 2,
  closed: 3,
  pages: 4,
  pageBytes: 5,
  maxWaiters: 6,
  maxThreads: 7,
  freePages: 8,
  /** No page below this one is free. */
  lowestFree: 9,
  queueHead: 10,
  queueTail: 11,
  queueLength: 12,
  /** Where the search for an unused slot starts. */
  nextSlot: 13,
  /** Counts the owners that ever were, so that no id is given twice. */
  generation: 14,
});

/** Words of a slot in the queue, from its first. */
export const SLOT: Readonly<Record<SlotWord, number>> = Object.freeze({
  state: 0,
  owner: 1,
  pages: 2,
  firstPage: 3,
  previous: 4,
  next: 5,
  /** Whether its thread sleeps on the slot itself rather than on its mailbox. */
  sleeps: 6,
});

/** Words from one slot to the next. */
export const SLOT_WORDS = 8;

/** No slot, in the links of the queue. */
export const NO_SLOT = -1;

const HEADER_WORDS = 16;
const MAGIC = 0x4c_4c_53_31;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const DATA_ALIGNMENT = 64;

/** Where everything is in the one `SharedArrayBuffer` of a pool: control words first, then the pages. */
export class SharedLayout {
  readonly memory: SharedArrayBuffer;
  readonly shape: SharedShape;
  /** The header; the other views are parts of the same memory. */
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Id of the owner of each seat, 0 when it is vacant. */
  readonly seats: Int32Array<SharedArrayBuffer>;
  /** Counts what happened to the waiters of each seat. */
  readonly mailboxes: Int32Array<SharedArrayBuffer>;
  readonly slots: Int32Array<SharedArrayBuffer>;
  /** Id of the owner of each page, 0 when it is free. */
  readonly owners: Int32Array<SharedArrayBuffer>;
  /** The ticket of each slot: its place in the order of arrival over all threads. */
  readonly tickets: Float64Array<SharedArrayBuffer>;
  /** One number: the ticket that is given next. */
  readonly nextTicket: Float64Array<SharedArrayBuffer>;
  /** Offset of the first page in the memory, in bytes. */
  readonly dataOffset: number;

  private constructor(memory: SharedArrayBuffer, shape: SharedShape) {
    const at = offsetsOf(shape);
    this.memory = memory;
    this.shape = shape;
    this.words = new Int32Array(memory, 0, HEADER_WORDS);
    this.nextTicket = new Float64Array(memory, at.nextTicket, 1);
    this.tickets = new Float64Array(memory, at.tickets, shape.maxWaiters);
    this.seats = new Int32Array(memory, at.seats, shape.maxThreads);
    this.mailboxes = new Int32Array(memory, at.mailboxes, shape.maxThreads);
    this.slots = new Int32Array(memory, at.slots, shape.maxWaiters * SLOT_WORDS);
    this.owners = new Int32Array(memory, at.owners, shape.pages);
    this.dataOffset = at.data;
  }

  /** Takes new memory, in which everything is free. */
  static create(shape: SharedShape): SharedLayout {
    const layout = new SharedLayout(new SharedArrayBuffer(sizeOf(shape)), shape);
    const { words } = layout;
    words[WORD.pages] = shape.pages;
    words[WORD.pageBytes] = shape.pageBytes;
    words[WORD.maxWaiters] = shape.maxWaiters;
    words[WORD.maxThreads] = shape.maxThreads;
    words[WORD.freePages] = shape.pages;
    words[WORD.queueHead] = NO_SLOT;
    words[WORD.queueTail] = NO_SLOT;
    Atomics.store(words, WORD.magic, MAGIC);
    return layout;
  }

  /** Finds its way in memory that another thread made. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
  static open(memory: SharedArrayBuffer): SharedLayout {
    if (memory instanceof SharedArrayBuffer && memory.byteLength >= HEADER_WORDS * WORD_BYTES) {
      const words = new Int32Array(memory, 0, HEADER_WORDS);
      const shape = {
        pages: words[WORD.pages] ?? 0,
        pageBytes: words[WORD.pageBytes] ?? 0,
        maxWaiters: words[WORD.maxWaiters] ?? 0,
        maxThreads: words[WORD.maxThreads] ?? 0,
      };
      const isPool =
        Atomics.load(words, WORD.magic) === MAGIC && memory.byteLength === sizeOf(shape);
      if (isPool) return new SharedLayout(memory, shape);
    }
    throw new BufferPoolError(
      'invalid-options',
      'The memory of a seat must be that of a SharedBufferPool of this version of the package; ' +
        'it is something else. Pass the seat on as it is.',
    );
  }
}

function offsetsOf(shape: SharedShape) {
  const nextTicket = HEADER_WORDS * WORD_BYTES;
  const tickets = nextTicket + Float64Array.BYTES_PER_ELEMENT;
  const seats = tickets + shape.maxWaiters * Float64Array.BYTES_PER_ELEMENT;
  const mailboxes = seats + shape.maxThreads * WORD_BYTES;
  const slots = mailboxes + shape.maxThreads * WORD_BYTES;
  const owners = slots + shape.maxWaiters * SLOT_WORDS * WORD_BYTES;
  const end = owners + shape.pages * WORD_BYTES;
  const data = Math.ceil(end / DATA_ALIGNMENT) * DATA_ALIGNMENT;
  return { nextTicket, tickets, seats, mailboxes, slots, owners, data };
}

function sizeOf(shape: SharedShape): number {
  return offsetsOf(shape).data + shape.pages * shape.pageBytes;
}
