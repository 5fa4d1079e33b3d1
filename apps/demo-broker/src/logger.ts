import type { BrokerLogger } from '@logloft/broker';
import type { Clock } from '@logloft/clock';
import { jsonValue } from './json-value.ts';

/** From the most to the least talkative. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How grave a log line is. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a text names a level. */
export function isLogLevel(text: string): text is LogLevel {
  return LOG_LEVELS.some((level) => level === text);
}

/** Where lines go; each is given without its line end. */
export type WriteLine = (line: string) => void;

/** How a logger is made. */
export interface LoggerOptions {
  readonly clock: Clock;
  /** The least grave level that is written. */
  readonly level: LogLevel;
  readonly write: WriteLine;
}

type Fields = Readonly<Record<string, unknown>>;

/** A logger with lines for people: time, level, message, fields as `name=value`. */
export function humanLogger(options: LoggerOptions): BrokerLogger {
  return leveled(options, (level, message, fields) => {
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(
      options.clock.now(),
    );
    const suffix = Object.entries(fields).map(([name, value]) => ` ${name}=${printField(value)}`);
    return `${time} ${level.padEnd(5)} ${oneLine(message)}${suffix.join('')}`;
  });
}

/** A logger with one JSON object a line: `event` is `log`, then `time` (ms), `level`, `message` and `fields`. */
export function jsonLogger(options: LoggerOptions): BrokerLogger {
  return leveled(options, (level, message, fields) =>
    JSON.stringify({
      event: 'log',
      time: options.clock.now(),
      level,
      message,
      fields: jsonValue(fields),
    }),
  );
}

function leveled(
  { level: least, write }: LoggerOptions,
  print: (level: LogLevel, message: string, fields: Fields) => string,
): BrokerLogger {
  const log = (level: LogLevel) => {
    const isWritten = LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
    return (message: string, fields: Fields = {}): void => {
      if (isWritten) write(print(level, message, fields));
    };
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function printField(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  return JSON.stringify(jsonValue(value)) ?? 'undefined';
}

/** Names and messages may come from clients: they must not begin lines of their own, nor move the cursor. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
