/** One buffer that is out, as the diagnostic mode sees it. */
export interface BufferHolder {
  /** What the allocation was labelled with. */
  readonly label: string | undefined;
  /** Bytes asked for. */
  readonly requestedBytes: number;
  /** Bytes that count for it until it is released. */
  readonly heldBytes: number;
  /** How long it has been out, in ms since it was granted. */
  readonly heldMs: number;
  /** Where it was asked for: the frames of the stack at the call, one a line. */
  readonly stack: string;
  /**
   * Whether the buffer itself was garbage-collected without a release. Nobody can return it any
   * more: its bytes are lost to the pool.
   */
  readonly collected: boolean;
}

/** All that a pool has handed out and not got back, in the diagnostic mode. */
export interface UnreleasedReport {
  /** Bytes of all holders together. */
  readonly heldBytes: number;
  /** Who has held a buffer for the longest time comes first. */
  readonly holders: readonly BufferHolder[];
}

/** What is known of an allocation at the call. */
export interface AllocationOrigin {
  readonly label: string | undefined;
  readonly requestedBytes: number;
  readonly trace: { readonly stack: string };
}

interface Entry {
  readonly origin: AllocationOrigin;
  readonly heldBytes: number;
  readonly grantedAtMs: number;
  readonly buffer: WeakRef<Buffer>;
}

/**
 * Who holds which buffer since when. Refers to buffers weakly, since a buffer that its holder forgot
 * is just what one looks for.
 */
export class HolderLedger {
  readonly #entries = new Set<Entry>();
  readonly #byBuffer = new WeakMap<Buffer, Entry>();

  /**
   * Notes where an allocation comes from. The engine formats the frames only when they are read.
   *
   * @param entryPoint the method that was called; its frame and those above it are left out
   */
  trace(
    requestedBytes: number,
    label: string | undefined,
    entryPoint: (...args: never[]) => unknown,
  ): AllocationOrigin {
    const trace = { stack: '' };
    Error.captureStackTrace(trace, entryPoint);
    return { label, requestedBytes, trace };
  }

  noteGranted(buffer: Buffer, origin: AllocationOrigin, nowMs: number): void {
    const entry: Entry = {
      origin,
      heldBytes: buffer.length,
      grantedAtMs: nowMs,
      buffer: new WeakRef(buffer),
    };
    this.#entries.add(entry);
    this.#byBuffer.set(buffer, entry);
  }

  /** Forgets a buffer that came back. One that is not known was never noted, and changes nothing. */
  noteReturned(buffer: Buffer): void {
    const entry = this.#byBuffer.get(buffer);
    if (entry === undefined) return;
    this.#entries.delete(entry);
    this.#byBuffer.delete(buffer);
  }

  report(nowMs: number): UnreleasedReport {
    let heldBytes = 0;
    const holders: BufferHolder[] = [];
    // A set keeps the order of insertion, which is that of the grants.
    for (const entry of this.#entries) {
      heldBytes += entry.heldBytes;
      holders.push({
        label: entry.origin.label,
        requestedBytes: entry.origin.requestedBytes,
        heldBytes: entry.heldBytes,
        heldMs: nowMs - entry.grantedAtMs,
        stack: framesOf(entry.origin.trace.stack),
        collected: entry.buffer.deref() === undefined,
      });
    }
    return { heldBytes, holders };
  }
}

/** Without the first line, which names an error that there was none of. */
function framesOf(stack: string): string {
  return stack.slice(stack.indexOf('\n') + 1);
}
