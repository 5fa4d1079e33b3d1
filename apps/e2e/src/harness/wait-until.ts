import { sleep } from './sleep.ts';

/** How long and how often {@link waitUntil} looks. */
export interface WaitUntilOptions {
  /** Default 30 s. */
  readonly deadlineMs?: number | undefined;
  /** Default 50 ms. */
  readonly everyMs?: number | undefined;
}

/**
 * Looks again and again until something holds.
 *
 * @param what what is waited for, for the message
 * @param lacking says what is not so yet; `undefined`: it holds
 * @returns ms it took
 * @throws Error with what was lacking last, when the deadline passes
 */
export async function waitUntil(
  what: string,
  lacking: () => Promise<string | undefined> | string | undefined,
  { deadlineMs = 30_000, everyMs = 50 }: WaitUntilOptions = {},
): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const found = await lacking();
    const elapsedMs = performance.now() - startedMs;
    if (found === undefined) return elapsedMs;
    if (elapsedMs >= deadlineMs) {
      throw new Error(`waited ${deadlineMs} ms for ${what}; last seen: ${found}`);
    }
    await sleep(everyMs);
  }
}
