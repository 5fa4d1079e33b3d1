/** Waits for a time. Only to measure over it, never to hope that something is done by then. */
export async function sleep(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  await promise;
}
