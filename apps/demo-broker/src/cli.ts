import { systemClock } from '@logloft/clock';
import type { Command } from './command-line/command.ts';
import { helpText } from './command-line/help.ts';
import { parseCommandLine } from './command-line/parse-command-line.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { type Output, standardOutput } from './output.ts';
import type { CommandSurroundings } from './running-command.ts';
import { STACK_VARIABLE } from './settings.ts';
import { onStopSignals } from './signals.ts';
import { packageVersion } from './version.ts';

/**
 * Runs the command line from its words to the exit code. Nothing it writes is a stack trace, unless
 * `LOGLOFT_STACK=1` asks for one.
 */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  const output = standardOutput();
  const stop = new AbortController();
  const ignoreSignals = onStopSignals(process, {
    stop: () => stop.abort(),
    force: () => process.exit(EXIT_CODES.interrupted),
  });
  const surroundings: CommandSurroundings = {
    clock: systemClock,
    output,
    environment: process.env,
    stop: stop.signal,
  };
  try {
    return await run(parseCommandLine(args), surroundings);
  } catch (error) {
    return report(error, { output, json: args.includes('--json') });
  } finally {
    ignoreSignals();
  }
}

/** Imports a command when it is run, so that none pays for the others. */
async function run(command: Command, surroundings: CommandSurroundings): Promise<ExitCode> {
  const { output } = surroundings;
  switch (command.kind) {
    case 'help':
      output.out(helpText());
      return EXIT_CODES.ok;
    case 'version':
      output.out(packageVersion());
      return EXIT_CODES.ok;
    case 'demo': {
      const { demo } = await import('./demo/run.ts');
      return await demo(command, surroundings);
    }
    case 'doctor': {
      const { doctor } = await import('./doctor/run.ts');
      return await doctor(command, surroundings);
    }
    case 'quota-lab': {
      const { quotaLab } = await import('./quota-lab/run.ts');
      return await quotaLab(command, surroundings);
    }
    case 'start': {
      const { start } = await import('./start.ts');
      await start(command, surroundings);
      return EXIT_CODES.ok;
    }
  }
}

function report(error: unknown, to: { readonly output: Output; readonly json: boolean }): ExitCode {
  const { exitCode, code, message } = failureOf(error);
  if (to.json) to.output.out(JSON.stringify({ event: 'error', code, message, exitCode }));
  to.output.err(`logloft: ${message}`);
  if (process.env[STACK_VARIABLE] === '1' && error instanceof Error) {
    to.output.err(error.stack ?? '');
  }
  return exitCode;
}
