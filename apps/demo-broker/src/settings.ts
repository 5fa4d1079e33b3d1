import { readFile } from 'node:fs/promises';
import { type ConfigFileAndEnvironment, configuredProperties } from '@logloft/broker';
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
 * @throws ConfigError when it is no properties file
 */
export async function readSettings(
  command: Pick<StartCommand, 'configFile' | 'properties'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const { configFile, properties } = command;
  const file =
    configFile === undefined ? undefined : { path: configFile, text: await read(configFile) };
  const sources = { file, environment, reservedVariables: [STACK_VARIABLE] };
  const configured = configuredProperties({ ...sources, flags: properties });
  return { sources, flags: properties, isSet: (property) => configured.has(property) };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--config cannot be read: ${reason}`);
  }
}
