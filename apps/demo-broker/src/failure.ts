import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** A failure as it is told: in one line, without a stack. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
}

/** What an error means for the command: its exit code, and what is said. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  const message = error instanceof Error ? messageWithCauses(error) : String(error);
  return { exitCode: exitCodeFor(code), code, message };
}

function exitCodeFor(code: string): ExitCode {
  if (code === 'LOGLOFT_PORT_TAKEN' || code === 'LOGLOFT_BROKER_PORT_IN_USE') {
    return EXIT_CODES.portTaken;
  }
  const isUsage =
    code === 'LOGLOFT_USAGE' ||
    code === 'LOGLOFT_BROKER_OPTIONS' ||
    code === 'LOGLOFT_BROKER_UNSUPPORTED_FEATURE' ||
    code.startsWith('LOGLOFT_CONFIG_');
  return isUsage ? EXIT_CODES.usage : EXIT_CODES.failed;
}

function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode ? String(error.code) : 'LOGLOFT_UNEXPECTED';
}

/** The message, and the first lines of causes that say something new. */
function messageWithCauses(error: Error): string {
  const parts = [error.message];
  let { cause } = error;
  // A few levels tell enough, and causes may go round.
  for (let level = 0; level < 4 && cause instanceof Error; level += 1) {
    const [message = ''] = cause.message.split('\n');
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    cause = cause.cause;
  }
  return parts.join(' Cause: ');
}
