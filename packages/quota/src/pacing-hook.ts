/** What a store is given to hold its bytes to a rate: it asks before it moves each slice or part. */
export interface PacingHook {
  /** The most to ask for at a time if the flow is to be even; it follows changes of the limit. */
  readonly sliceBytes?: number | undefined;

  /** Resolves when `bytes` more may flow; rejects with the reason of `signal` when it aborts. */
  take(bytes: number, options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}
