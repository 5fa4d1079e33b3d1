import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUFFER_POOL_DEFAULTS, BufferPoolError, isBufferPoolError } from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('an error is recognised by its brand, so also when another copy of the package made it', () => {
  const error = new BufferPoolError('closed', 'The pool is closed.');
  expect(isBufferPoolError(error)).toBe(true);
  const foreign = Object.assign(new Error('x'), {
    [Symbol.for('logloft.error.bufferpool')]: true,
  });
  expect(isBufferPoolError(foreign)).toBe(true);
  expect(isBufferPoolError(new Error('x'))).toBe(false);
  expect(isBufferPoolError(undefined)).toBe(false);
});

test('the README states the defaults that hold', () => {
  expect(readme).toContain(`| \`maxWaiters\` | ${BUFFER_POOL_DEFAULTS.maxWaiters} |`);
  expect(readme).toContain(`| \`semantics\` | \`'${BUFFER_POOL_DEFAULTS.semantics}'\` |`);
});
