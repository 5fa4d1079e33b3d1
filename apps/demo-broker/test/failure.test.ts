import { BrokerError, ConfigError, ListenError } from '@logloft/broker';
import { expect, it } from 'vitest';
import { UsageError } from '../src/command-line/usage-error.ts';
import { failureOf } from '../src/failure.ts';
import { PortTakenError } from '../src/port-taken-error.ts';

it('tells wrong words and configuration, taken ports and other failures apart by exit code', () => {
  const listen = {
    host: '127.0.0.1',
    port: 1,
    cause: Object.assign(new Error('x'), { code: 'EADDRINUSE' }),
  };
  const cases: readonly (readonly [error: unknown, exitCode: number])[] = [
    [new UsageError('x'), 2],
    [new ConfigError('LOGLOFT_CONFIG_CONFLICT', { key: 'a', reason: 'x' }), 2],
    [new BrokerError('LOGLOFT_BROKER_OPTIONS', 'x'), 2],
    [new ListenError(listen), 3],
    [new PortTakenError({ host: '::1', port: 1, use: 'http' }), 3],
    [new BrokerError('LOGLOFT_BROKER_DATA_DIRECTORY', 'x'), 1],
    [new Error('x'), 1],
    ['x', 1],
  ];
  for (const [error, exitCode] of cases)
    expect(failureOf(error).exitCode, String(error)).toBe(exitCode);
});

it('adds causes that say something new, in one line, and ends where causes go round', () => {
  const inner = new Error('disk on fire\nstack of another program');
  expect(failureOf(new Error('Cannot start', { cause: inner })).message).toBe(
    'Cannot start Cause: disk on fire',
  );
  expect(failureOf(new Error('why: same', { cause: new Error('same') })).message).toBe('why: same');
  const round = new Error('round');
  round.cause = round;
  expect(failureOf(round).message).toBe('round');
});

it('says the ways out of a taken port', () => {
  const { message } = new PortTakenError({
    host: '::1',
    port: 9092,
    use: 'kafka',
    owner: 'java (pid 7)',
  });
  expect(message).toBe(
    'The Kafka port [::1]:9092 is taken by java (pid 7). Stop that, or choose another port with --port PORT; --port 0 picks a free one.',
  );
});
