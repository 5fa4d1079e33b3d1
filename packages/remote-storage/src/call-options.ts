/** Holds a stream of bytes to a rate. */
export interface Pacer {
  /**
   * Largest slice in bytes that keeps the flow even, where the rate is so low that 64 KiB would be a
   * burst. It follows the rate: read it anew before each slice. Absent: 64 KiB will do.
   */
  readonly sliceBytes?: number | undefined;

  /**
   * Resolves when `bytes` more may flow. Local and memory stores ask a slice (at most 64 KiB) at a
   * time, object stores a part at a time.
   *
   * @throws the reason of `signal` when it aborts
   */
  take(bytes: number, options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** What every call of a plugin may be given. */
export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes done since the last call of it; 0 says that the call is alive. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly pacer?: Pacer | undefined;
}
