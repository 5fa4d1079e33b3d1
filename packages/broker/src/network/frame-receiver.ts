import type { FrameBuffer, ReceiveMemory } from './receive-memory.ts';

/** Where bytes land whose frame is not yet known, shared by all connections of a thread. */
const SCRATCH_BYTES = 64 * 1024;
// Read while somebody waits for memory: what is read ahead then has to be kept outside the pool.
const STARVED_SCRATCH_BYTES = 4 * 1024;
/** From this much missing, the rest of a frame is read straight into its buffer. */
const DIRECT_READ_BYTES = 16 * 1024;
/** A frame starts in at most this much, whatever its length claims. */
const FIRST_BUFFER_BYTES = 64 * 1024;
/** A buffer that is full is followed by one this many times as large, until the whole frame fits. */
const GROWTH = 4;
const LENGTH_BYTES = 4;

/** A request frame without its length prefix. */
export interface ReceivedFrame {
  /** Valid until {@link ReceivedFrame.release}. */
  readonly bytes: Buffer;
  /** Gives the memory back; to be called exactly once by whoever handles the frame. */
  release(): void;
}

/** What a {@link FrameReceiver} tells its owner. */
export interface FrameReceiverEvents {
  /** A whole frame. Return `false` to be given no further one until {@link FrameReceiver.proceed}. */
  onFrame(frame: ReceivedFrame): boolean;
  /** The stream makes no sense (a length out of range); nothing more will be accepted. */
  onMalformed(reason: string): void;
  /** All input kept back was consumed: reading may go on. */
  onReadable(): void;
}

/** Settings of a {@link FrameReceiver}. */
export interface FrameReceiverOptions {
  /** Largest frame in bytes (`socket.request.max.bytes`). */
  readonly maxFrameBytes: number;
}

interface OpenFrame {
  readonly size: number;
  memory: FrameBuffer;
  filled: number;
}

// All receivers of a thread consume what they read within the callback, so one scratch serves all.
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const starvedScratch = scratch.subarray(0, STARVED_SCRATCH_BYTES);

/**
 * Cuts the bytes of one connection into frames (`int32` length, then that many bytes).
 *
 * Used as `onread` of a socket: {@link FrameReceiver.nextBuffer} says where the next read goes, big
 * bodies straight into their own buffer. When memory is exhausted or the owner is busy,
 * {@link FrameReceiver.accept} returns `false`: the socket must then not be read until `onReadable`.
 */
export class FrameReceiver {
  readonly #memory: ReceiveMemory;
  readonly #events: FrameReceiverEvents;
  readonly #maxFrameBytes: number;
  readonly #closing = new AbortController();
  readonly #length = Buffer.allocUnsafeSlow(LENGTH_BYTES);
  #lengthFilled = 0;
  #frame: OpenFrame | undefined;
  #keptInput: Buffer | undefined;
  #waitsForMemory = false;
  #waitsForOwner = false;
  #dead = false;

  constructor(memory: ReceiveMemory, options: FrameReceiverOptions, events: FrameReceiverEvents) {
    this.#memory = memory;
    this.#maxFrameBytes = options.maxFrameBytes;
    this.#events = events;
  }

  /** Whether a frame has begun and is not complete. */
  get midFrame(): boolean {
    return this.#frame !== undefined || this.#lengthFilled > 0;
  }

  /** Whether memory is held for a frame whose next bytes are the peer's to send. */
  get holdsMemoryForPeer(): boolean {
    return this.#frame !== undefined && !this.#blocked;
  }

  /** Where the next read of the socket goes. */
  nextBuffer(): Buffer {
    const frame = this.#frame;
    if (frame !== undefined && !this.#blocked) {
      const end = Math.min(frame.memory.buffer.length, frame.size);
      if (end - frame.filled >= DIRECT_READ_BYTES) {
        return frame.memory.buffer.subarray(frame.filled, end);
      }
    }
    return this.#memory.starved ? starvedScratch : scratch;
  }

  /**
   * Takes the first `length` bytes of `input`, which is what {@link FrameReceiver.nextBuffer} gave or
   * any other buffer; nothing of `input` is used after the call.
   *
   * @returns whether reading may go on
   */
  accept(input: Buffer, length: number): boolean {
    if (this.#dead) return false;
    const frame = this.#frame;
    if (frame !== undefined && input.buffer === frame.memory.buffer.buffer) {
      frame.filled += length;
      return this.#advanceFrame(frame);
    }
    if (this.#blocked) {
      // A read that was under way when reading was stopped.
      this.#keep(input, 0, length);
      return false;
    }
    return this.#consume(input, length);
  }

  /** Tells that the owner takes frames again. */
  proceed(): void {
    if (!this.#waitsForOwner) return;
    this.#waitsForOwner = false;
    this.#drain();
  }

  /** Gives all memory back and gives up waiting; nothing is accepted any more. */
  close(): void {
    this.#dead = true;
    this.#closing.abort();
    this.#frame?.memory.release();
    this.#frame = undefined;
    this.#keptInput = undefined;
  }

  get #blocked(): boolean {
    return this.#waitsForMemory || this.#waitsForOwner;
  }

  #consume(input: Buffer, length: number): boolean {
    let at = 0;
    while (at < length) {
      const frame = this.#frame;
      if (frame === undefined) {
        at = this.#consumeLength(input, at, length);
      } else {
        const end = Math.min(
          length,
          at + Math.min(frame.memory.buffer.length, frame.size) - frame.filled,
        );
        input.copy(frame.memory.buffer, frame.filled, at, end);
        frame.filled += end - at;
        at = end;
        this.#advanceFrame(frame);
      }
      if (this.#dead) return false;
      if (this.#blocked) {
        this.#keep(input, at, length);
        return false;
      }
    }
    return true;
  }

  #consumeLength(input: Buffer, from: number, length: number): number {
    const end = Math.min(length, from + LENGTH_BYTES - this.#lengthFilled);
    input.copy(this.#length, this.#lengthFilled, from, end);
    this.#lengthFilled += end - from;
    if (this.#lengthFilled === LENGTH_BYTES) {
      this.#lengthFilled = 0;
      this.#openFrame(this.#length.readInt32BE(0));
    }
    return end;
  }

  #openFrame(size: number): void {
    if (size <= 0 || size > this.#maxFrameBytes) {
      this.#dead = true;
      this.#events.onMalformed(describeLength(size, this.#maxFrameBytes));
      return;
    }
    const first = Math.min(size, FIRST_BUFFER_BYTES);
    const memory = this.#memory.tryTake(first);
    if (memory !== undefined) {
      this.#frame = { size, memory, filled: 0 };
      return;
    }
    this.#await(this.#memory.take(first, this.#closing.signal), (granted) => {
      this.#frame = { size, memory: granted, filled: 0 };
    });
  }

  /** @returns whether reading may go on */
  #advanceFrame(frame: OpenFrame): boolean {
    if (frame.filled === frame.size) return this.#emit(frame);
    if (frame.filled < frame.memory.buffer.length) return true;
    const size = Math.min(frame.size, frame.memory.buffer.length * GROWTH);
    const memory = this.#memory.tryGrow(size, frame.memory);
    if (memory !== undefined) {
      moveTo(frame, memory);
      return true;
    }
    this.#await(this.#memory.grow(size, this.#closing.signal), (granted) => moveTo(frame, granted));
    return false;
  }

  #emit(frame: OpenFrame): boolean {
    this.#frame = undefined;
    const { memory } = frame;
    const wantsMore = this.#events.onFrame({
      bytes: memory.buffer.subarray(0, frame.size),
      release: () => memory.release(),
    });
    if (!wantsMore) this.#waitsForOwner = true;
    return wantsMore && !this.#dead;
  }

  #await(memory: Promise<FrameBuffer>, use: (granted: FrameBuffer) => void): void {
    this.#waitsForMemory = true;
    memory.then(
      (granted) => {
        this.#waitsForMemory = false;
        if (this.#dead) {
          granted.release();
          return;
        }
        use(granted);
        this.#drain();
      },
      (error: unknown) => {
        this.#waitsForMemory = false;
        if (this.#dead) return;
        this.#dead = true;
        this.#events.onMalformed(`no memory for the request: ${String(error)}`);
      },
    );
  }

  #keep(input: Buffer, from: number, to: number): void {
    if (from >= to) return;
    const rest = input.subarray(from, to);
    this.#keptInput =
      this.#keptInput === undefined ? Buffer.from(rest) : Buffer.concat([this.#keptInput, rest]);
  }

  #drain(): void {
    if (this.#dead || this.#blocked) return;
    const kept = this.#keptInput;
    this.#keptInput = undefined;
    if (kept !== undefined && !this.#consume(kept, kept.length)) return;
    this.#events.onReadable();
  }
}

function moveTo(frame: OpenFrame, memory: FrameBuffer): void {
  frame.memory.buffer.copy(memory.buffer, 0, 0, frame.filled);
  frame.memory.release();
  frame.memory = memory;
}

const TLS_HANDSHAKE_PREFIX = 0x1603;

/** Says what a client that does not speak this protocol probably meant. */
function describeLength(size: number, maxFrameBytes: number): string {
  const text = Buffer.alloc(LENGTH_BYTES);
  text.writeInt32BE(size);
  const expected = `expected a request of 1 to ${maxFrameBytes} bytes (socket.request.max.bytes), got a length of ${size}`;
  if (text.readUInt16BE(0) === TLS_HANDSHAKE_PREFIX) {
    return `${expected}; this looks like TLS, but the listener is plain text`;
  }
  if (/^(GET |POST|PUT |HEAD|OPTI)/.test(text.toString('latin1'))) {
    return `${expected}; this looks like HTTP, but the listener speaks the Kafka protocol`;
  }
  return expected;
}
