/** Codes of the broker's own errors. */
export type BrokerErrorCode =
  | 'LOGLOFT_BROKER_CLOSED'
  | 'LOGLOFT_BROKER_LISTEN'
  | 'LOGLOFT_BROKER_PORT_IN_USE'
  | 'LOGLOFT_BROKER_UNSUPPORTED_FEATURE'
  | 'LOGLOFT_BROKER_DATA_DIRECTORY'
  | 'LOGLOFT_BROKER_PLUGIN'
  | 'LOGLOFT_BROKER_TOPIC'
  | 'LOGLOFT_BROKER_OPTIONS';

/** What `startBroker` and the broker's methods throw, beside errors of configuration. */
export class BrokerError extends Error {
  readonly code: BrokerErrorCode;

  constructor(code: BrokerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerError';
    this.code = code;
  }
}

/** An address could not be bound. */
export class ListenError extends BrokerError {
  readonly host: string;
  readonly port: number;

  constructor(details: {
    readonly host: string;
    readonly port: number;
    readonly cause: NodeJS.ErrnoException;
  }) {
    const { host, port, cause } = details;
    const inUse = cause.code === 'EADDRINUSE';
    super(
      inUse ? 'LOGLOFT_BROKER_PORT_IN_USE' : 'LOGLOFT_BROKER_LISTEN',
      inUse
        ? `Port ${port} on ${host} is taken by another program. Stop it, or choose another port; port 0 picks a free one.`
        : `Cannot listen on ${host}:${port}: ${cause.message}`,
      { cause },
    );
    this.name = 'ListenError';
    this.host = host;
    this.port = port;
  }
}
