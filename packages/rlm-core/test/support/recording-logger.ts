import type { PluginLogger } from '@logloft/remote-storage';

/** A logger that keeps its lines, so that a test can look for one. */
export class RecordingLogger implements PluginLogger {
  readonly lines: string[] = [];

  debug(): void {}

  info(message: string): void {
    this.lines.push(`info ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}
