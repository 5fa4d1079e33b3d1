import { readFile } from 'node:fs/promises';
import type { ConfigFileAndEnvironment } from '@logloft/broker';
import type { StartCommand } from './command-line/command.ts';
import { UsageError } from './command-line/usage-error.ts';

/** Set to 1 to see the stack of an error; no property. */
export const STACK_VARIABLE = 'LOGLOFT_STACK';

/** Where properties come from, and which of them are set. */
export interface Settings {
  readonly sources: ConfigFileAndEnvironment;
  readonly flags: ReadonlyMap<string, string>;
  /** Whether file, environment or flags set a property. */
  isSet(property: string): boolean;
}

/**
 * Gathers what file, environment and flags say. What it means is for the broker to judge.
 *
 * @throws UsageError when the file cannot be read
 */
export async function readSettings(
  command: Pick<StartCommand, 'configFile' | 'properties'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const { configFile, properties } = command;
  const file =
    configFile === undefined ? undefined : { path: configFile, text: await read(configFile) };
  const inFile = namesIn(file?.text ?? '');
  return {
    sources: { file, environment, reservedVariables: [STACK_VARIABLE] },
    flags: properties,
    isSet: (property) =>
      properties.has(property) ||
      inFile.has(property) ||
      environment[variableOf(property)] !== undefined,
  };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--config cannot be read: ${reason}`);
  }
}

/** The names that a properties file sets: up to the first `=`, `:` or space of a line that is no comment. */
function namesIn(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).map((line) => line.trimStart());
  const settings = lines.filter((line) => line !== '' && !/^[#!]/.test(line));
  return new Set(settings.map((line) => line.split(/[=:\s]/, 1)[0] ?? ''));
}

/** The properties that are asked for here have no `_` and no `-`. */
function variableOf(property: string): string {
  return `LOGLOFT_${property.replaceAll('.', '_').toUpperCase()}`;
}
