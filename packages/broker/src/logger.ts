/** Where the broker writes its log lines: a message for people, fields for machines. */
export interface BrokerLogger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

function ignore(): void {
  // A program that gives no logger wants none.
}

/** Drops every line. */
export const silentLogger: BrokerLogger = Object.freeze({
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
});
