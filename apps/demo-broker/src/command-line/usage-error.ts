/** The command line makes no sense: the message says where, and what would. */
export class UsageError extends Error {
  readonly code = 'LOGLOFT_USAGE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
