import { RemoteStorageError } from './errors.ts';

// NUL ends names in C, control characters spoil logs, and a backslash separates paths on some systems.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/**
 * Refuses keys that could mean different things to different stores, or reach outside one: empty keys
 * and parts, the parts `.` and `..`, a `/` at either end, control characters, backslashes, lone
 * surrogates. Every store calls it first, so that a key is good everywhere or nowhere.
 *
 * @param maxKeyBytes longest key in bytes of UTF-8
 * @throws RemoteStorageError `invalid-configuration`
 */
export function assertObjectKey(key: string, maxKeyBytes: number): void {
  const problem = findProblem(key, maxKeyBytes);
  if (problem === undefined) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `Object key ${JSON.stringify(key.slice(0, 200))} ${problem}`,
    { key },
  );
}

function findProblem(key: string, maxKeyBytes: number): string | undefined {
  if (key.length === 0) return 'is empty';
  if (!key.isWellFormed()) return 'has a lone surrogate, which UTF-8 cannot hold';
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) return `takes ${bytes} bytes, at most ${maxKeyBytes} are allowed`;
  if (FORBIDDEN.test(key)) return 'has a control character or a backslash';
  for (const part of key.split('/')) {
    if (part === '') return 'has an empty part';
    if (part === '.' || part === '..') return `has the part "${part}"`;
  }
  return undefined;
}
