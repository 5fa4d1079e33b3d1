import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { onStopSignals } from '../src/signals.ts';

it('ends cleanly at the first signal and at once at the second, whichever they are', () => {
  const source = new EventEmitter();
  const seen: string[] = [];
  const ignore = onStopSignals(source, {
    stop: () => seen.push('stop'),
    force: () => seen.push('force'),
  });
  source.emit('SIGTERM');
  expect(seen).toEqual(['stop']);
  source.emit('SIGINT');
  expect(seen).toEqual(['stop', 'force']);
  ignore();
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
});
