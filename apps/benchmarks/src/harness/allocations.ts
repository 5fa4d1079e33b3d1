import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CALLS = 200;
const ATTEMPTS = 3;

/**
 * Bytes of heap that a call takes, roughly: the median growth over a few hundred calls between two
 * collections. Memory outside the heap, such as that of buffers, is not in it.
 */
export function bytesPerCall(call: () => void): number {
  const collect = collector();
  const found: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < CALLS; i += 1) call();
    found.push((process.memoryUsage().heapUsed - before) / CALLS);
  }
  found.sort((a, b) => a - b);
  return Math.max(0, found[ATTEMPTS >> 1] ?? 0);
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  // What the flag adds is there only in contexts that are made after it.
  return runInNewContext('gc') as () => void;
}
