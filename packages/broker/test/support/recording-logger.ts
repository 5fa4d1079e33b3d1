import type { BrokerLogger } from '../../src/index.ts';

/** One line of a log. */
export interface LogLine {
  readonly level: keyof BrokerLogger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps what a broker logs. */
export class RecordingLogger implements BrokerLogger {
  readonly lines: LogLine[] = [];

  /** Warnings and errors. */
  get complaints(): readonly LogLine[] {
    return this.lines.filter(({ level }) => level === 'warn' || level === 'error');
  }

  debug(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }
}
