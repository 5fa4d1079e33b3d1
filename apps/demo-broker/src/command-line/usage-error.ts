/** The command line makes no sense: the message says where, and what would. */
export class UsageError extends Error {
  readonly code = 'LOGLOFT_USAGE';

  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
