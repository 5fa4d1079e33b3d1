import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** How a command is run. */
export interface RunCommandOptions {
  /** File for its standard input; default nothing. */
  readonly inputFile?: string | undefined;
  /** File that its standard output goes to; default into the result. */
  readonly outputFile?: string | undefined;
  /** After this it is killed, and that is an error. Default 60 s. */
  readonly timeoutMs?: number | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Where it runs; default the present directory. */
  readonly directory?: string | undefined;
}

/** What became of a command that ended well. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/**
 * Runs a command to its end.
 *
 * @throws Error with its standard error for an exit code other than 0, and when it takes too long
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: RunCommandOptions = {},
): Promise<CommandResult> {
  const { inputFile, outputFile, timeoutMs = 60_000, environment = {}, directory } = options;
  const startedMs = performance.now();
  const child = spawn(command, args, {
    stdio: [inputFile === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    ...(directory === undefined ? {} : { cwd: directory }),
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = exitOf(child);
  const [stdout, stderr, { code, signal }] = await Promise.all([
    outputOf(child, outputFile),
    child.stderr === null ? '' : text(child.stderr),
    ended,
    feed(child, inputFile),
  ]);
  const ms = performance.now() - startedMs;
  if (code === 0) return { stdout, stderr, ms };
  const how = signal === null ? `exit code ${code}` : `signal ${signal} after ${ms.toFixed(0)} ms`;
  throw new Error(`${command} ${args.join(' ')}: ${how}\n${stderr.trim()}\n${stdout.trim()}`);
}

/** Whether a command can be run here. */
export async function hasCommand(command: string, args: readonly string[]): Promise<boolean> {
  try {
    await runCommand(command, args, { timeoutMs: 20_000 });
    return true;
  } catch {
    return false;
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>();
  child.once('error', reject);
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return await promise;
}

async function outputOf({ stdout }: ChildProcess, file: string | undefined): Promise<string> {
  if (stdout === null) return '';
  if (file === undefined) return await text(stdout);
  await pipeline(stdout, createWriteStream(file));
  return '';
}

async function feed({ stdin }: ChildProcess, file: string | undefined): Promise<void> {
  if (stdin === null || file === undefined) return;
  // A command that ends early says why by its exit code.
  await pipeline(createReadStream(file), stdin).catch(() => undefined);
}
