import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Bytes of heap in use after full collections. What a test leaves behind is the difference between
 * two of these; the turn of the event loop lets finished promises and timers go first.
 */
export async function heapAfterCollection(): Promise<number> {
  collect ??= collector();
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  // What the flag adds is there only in contexts that are made after it.
  return runInNewContext('gc') as () => void;
}
