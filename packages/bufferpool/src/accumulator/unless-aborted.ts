/** How one waits for an accumulator. */
export interface WaitOptions {
  /** Ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for `work` while `signal` does not abort, and leaves no listener. */
export async function unlessAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) {
    await work;
    return;
  }
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
