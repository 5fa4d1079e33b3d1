/**
 * Waits for `promise`, but no longer than until `signal` aborts. The listener is removed either way; a
 * late rejection of `promise` is ignored.
 *
 * @throws the reason of `signal`
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * A controller that aborts with any of `signals`, too. `unlink` removes its listeners from them, which
 * `AbortSignal.any` leaves to the garbage collector.
 */
export function linkedController(signals: readonly (AbortSignal | undefined)[]): {
  readonly controller: AbortController;
  unlink(): void;
} {
  const controller = new AbortController();
  const unlinks: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    unlinks.push(() => signal.removeEventListener('abort', onAbort));
  }
  return {
    controller,
    unlink(): void {
      for (const unlink of unlinks) unlink();
    },
  };
}
