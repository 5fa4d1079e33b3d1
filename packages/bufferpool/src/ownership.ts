import { BufferPoolError } from './errors.ts';

/** What a strict pool notes on each buffer that it made. */
class Stamp {
  readonly owner: Ownership;
  /** Its length when it was made, which stays what it counts for, even if its memory is transferred away. */
  readonly bytes: number;
  granted = true;

  constructor(owner: Ownership, bytes: number) {
    this.owner = owner;
    this.bytes = bytes;
  }
}

const STAMP = Symbol('logloft.bufferpool.stamp');

interface StampedBuffer extends Buffer {
  readonly [STAMP]?: Stamp;
}

/**
 * Knows which buffers are a pool's own, and which of them are out. The note is a hidden property of
 * the buffer itself: a `Set` of what is out would cost ten times as much a grant, and would keep
 * forgotten buffers from being collected.
 */
export class Ownership {
  /** Takes a new buffer in, as one that is out. @throws when it belongs to a pool already */
  adopt(buffer: Buffer): void {
    if (stampOf(buffer) !== undefined) {
      throw new TypeError('createBuffer returned a buffer that it had returned before');
    }
    Object.defineProperty(buffer, STAMP, { value: new Stamp(this, buffer.length) });
  }

  markGranted(buffer: Buffer): void {
    const stamp = stampOf(buffer);
    if (stamp !== undefined) stamp.granted = true;
  }

  /** Notes the return of `buffer`, once it is proven to be ours, whole and out. Returns its bytes. */
  markReturned(buffer: Buffer, bytes: number | undefined): number {
    const stamp = stampOf(buffer);
    if (stamp === undefined || stamp.owner !== this) {
      throw new BufferPoolError(
        'foreign-buffer',
        'A buffer was released that this pool did not allocate (a subarray, or one of another ' +
          'pool). Release the very object that allocate returned.',
      );
    }
    if (!stamp.granted) {
      throw new BufferPoolError(
        'double-release',
        'A buffer was released that is not out: it was released before. Release each buffer once, ' +
          'and do not touch it afterwards.',
      );
    }
    if (bytes !== undefined && bytes !== stamp.bytes) {
      throw new BufferPoolError(
        'size-mismatch',
        `A buffer of ${stamp.bytes} bytes was released as ${bytes} bytes. Release it whole.`,
      );
    }
    stamp.granted = false;
    return stamp.bytes;
  }
}

/** What Kafka's pool does: it takes the caller's word. Only what is no number of bytes is refused. */
export function believedBytes(buffer: Buffer, size: number = buffer.length): number {
  if (Number.isSafeInteger(size)) return size;
  throw new BufferPoolError(
    'invalid-size',
    `A buffer was released as ${String(size)} bytes; that must be an integer.`,
  );
}

function stampOf(buffer: Buffer): Stamp | undefined {
  // The one place where the hidden property is seen by the type system.
  return (buffer as StampedBuffer)[STAMP];
}
