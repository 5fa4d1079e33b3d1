/**
 * Settles as the promise does, or rejects with the reason of the signal when that aborts first. The
 * promise goes on by itself; what it comes to then is nobody's.
 */
export function unlessAborted<V>(promise: Promise<V>, signal: AbortSignal | undefined): Promise<V> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => undefined);
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const done = (): void => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(done);
  });
}
