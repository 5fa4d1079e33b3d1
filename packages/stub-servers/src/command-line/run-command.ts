import { startGcsStub } from '../gcs/index.ts';
import { startS3Stub } from '../s3/index.ts';
import { readKeyFile } from './read-key-file.ts';
import { HELP, parseCommandLine, type StubCommand, UsageError } from './stub-options.ts';

/** What a command needs of the process it runs in. */
export interface CommandContext {
  /** Writes a line, given without its end. */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Resolves when the command is to end. */
  readonly stopped: Promise<void>;
}

interface Running {
  readonly url: string;
  /** What a person needs to connect, besides the URL. */
  readonly hint: string;
  readonly details: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function start(command: Exclude<StubCommand, { kind: 'help' }>): Promise<Running> {
  if (command.kind === 'gcs') {
    const { keyFile, options } = command;
    const serviceAccount = keyFile === undefined ? undefined : await readKeyFile(keyFile);
    const stub = await startGcsStub({ ...options, serviceAccount });
    const { token } = stub;
    return {
      url: stub.url,
      hint: token === undefined ? 'no credentials needed' : `bearer token ${token}`,
      details: token === undefined ? {} : { token },
      close: () => stub.close(),
    };
  }
  const stub = await startS3Stub(command.options);
  const { accessKeyId, secretAccessKey } = stub.credentials;
  return {
    url: stub.url,
    hint: `region ${stub.region}, access key ${accessKeyId}, secret key ${secretAccessKey}`,
    details: { region: stub.region, accessKeyId, secretAccessKey },
    close: () => stub.close(),
  };
}

/**
 * Runs the command `logloft-stub`, and resolves to its exit code: 0, 1 when the stub could not be
 * started, 2 when the command line is wrong.
 *
 * @param args the command line without the program's name
 */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
): Promise<0 | 1 | 2> {
  try {
    const command = parseCommandLine(args);
    if (command.kind === 'help') {
      context.out(HELP);
      return 0;
    }
    const running = await start(command);
    const { url, hint, details } = running;
    context.out(
      command.json
        ? JSON.stringify({ event: 'ready', service: command.kind, url, ...details })
        : `${command.kind} stub ready at ${url} (${hint}); Ctrl-C ends it`,
    );
    await context.stopped;
    await running.close();
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    context.err(`logloft-stub: ${message}`);
    if (error instanceof UsageError) context.err('logloft-stub --help lists the options.');
    return error instanceof UsageError ? 2 : 1;
  }
}
