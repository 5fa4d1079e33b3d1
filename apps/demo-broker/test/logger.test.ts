import { ManualClock } from '@logloft/clock';
import { expect, it } from 'vitest';
import { humanLogger, jsonLogger, type LogLevel } from '../src/logger.ts';
import { StartLog } from '../src/start-log.ts';

function written(create: typeof humanLogger, level: LogLevel) {
  const lines: string[] = [];
  const clock = new ManualClock({ startMs: 1_800_000_000_000 });
  return { lines, logger: create({ clock, level, write: (line) => lines.push(line) }) };
}

it('writes what is as grave as asked for, or graver', () => {
  const { lines, logger } = written(humanLogger, 'warn');
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  expect(lines.map((line) => line.slice(-1))).toEqual(['c', 'd']);
});

it('keeps what clients may choose on one line', () => {
  const { lines, logger } = written(humanLogger, 'info');
  logger.info('first\nsecond\u001B[2J', {
    client: 'evil\nname',
    bytes: 5,
    error: new Error('why'),
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /info {2}first\\nsecond\\u001b\[2J client="evil\\nname" bytes=5 error="why"$/,
  );
});

it('writes JSON that says what errors, big numbers and maps are', () => {
  const { lines, logger } = written(jsonLogger, 'info');
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'CODE' });
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  logger.warn('m', { error, big: 2n ** 63n, map: new Map([['a', 1]]), none: Number.NaN, cyclic });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'log',
    time: 1_800_000_000_000,
    level: 'warn',
    message: 'm',
    fields: {
      error: { name: 'Error', code: 'CODE', message: 'outer', cause: { message: 'inner' } },
      big: '9223372036854775808',
      map: [['a', 1]],
      none: 'NaN',
    },
  });
});

it('lets lines wait for the line that has to be first', () => {
  const lines: string[] = [];
  const clock = new ManualClock();
  const log = new StartLog((write) => jsonLogger({ clock, level: 'info', write }), {
    write: (line) => lines.push(line),
    hold: true,
  });
  log.logger.info('early');
  expect(lines).toEqual([]);
  lines.push('ready');
  log.release();
  log.logger.info('late');
  expect(lines.map((line) => /ready|early|late/.exec(line)?.[0])).toEqual([
    'ready',
    'early',
    'late',
  ]);
});
