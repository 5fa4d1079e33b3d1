import type { DoctorCommand } from '../doctor/doctor-command.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../logger.ts';
import { readQuotaLabFlags } from '../quota-lab/read-quota-lab-flags.ts';
import { parseAddress, parsePort } from './address.ts';
import { parseByteSize } from './byte-size.ts';
import type { Command, DemoCommand, StartCommand } from './command.ts';
import { FLAGS } from './flags.ts';
import { nearestWord } from './nearest-word.ts';
import { type FlagsAndWords, readFlags } from './read-flags.ts';
import { UsageError } from './usage-error.ts';

const COMMANDS = ['start', 'demo', 'doctor', 'quota-lab', 'help', 'version'] as const;

const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024;
const DEFAULT_DEMO_BYTES = 16 * 1024 * 1024;
const DEFAULT_DOCTOR_BYTES = 20 * 1024 * 1024;
/** It is held in memory while it is compared. */
const MOST_DOCTOR_BYTES = 1024 * 1024 * 1024;
const DEFAULT_HTTP = { host: '127.0.0.1', port: 9464 } as const;

/**
 * Understands a command line.
 *
 * @param args the words after the name of the program
 * @throws UsageError that says what is wrong and what would be right
 */
export function parseCommandLine(args: readonly string[]): Command {
  const { flags, words } = readFlags(args);
  if (flags.has('help')) return { kind: 'help' };
  if (flags.has('version')) return { kind: 'version' };
  const name = commandName(words);
  if (name === 'help' || name === 'version') return { kind: name };
  for (const flag of FLAGS) {
    if (flags.has(flag.name) && !flag.commands.includes(name)) {
      throw new UsageError(
        `--${flag.name} is a flag of logloft ${flag.commands.join(' and ')}, not of ${name}.`,
      );
    }
  }
  if (name === 'start') return startCommand(flags);
  if (name === 'demo') return demoCommand(flags);
  if (name === 'doctor') return doctorCommand(flags);
  return readQuotaLabFlags({ textOf: (flag) => text(flags, flag), json: flags.has('json') });
}

function commandName(words: readonly string[]): (typeof COMMANDS)[number] {
  const [word = 'start', ...more] = words;
  const name = COMMANDS.find((candidate) => candidate === word);
  if (name === undefined) {
    const nearest = nearestWord(word, COMMANDS);
    const hint =
      nearest === undefined ? `There are ${COMMANDS.join(', ')}.` : `Did you mean ${nearest}?`;
    throw new UsageError(`There is no command ${JSON.stringify(word)}. ${hint}`);
  }
  if (more.length === 0) return name;
  throw new UsageError(`Nothing can follow ${name} but flags, got ${JSON.stringify(more[0])}.`);
}

type Flags = FlagsAndWords['flags'];

function startCommand(flags: Flags): StartCommand {
  const dataDirectory = text(flags, 'data');
  const memoryBytes = memoryOf(flags);
  if (dataDirectory !== undefined && memoryBytes !== undefined) {
    throw new UsageError(
      '--data and --memory exclude each other: keep data, or write nothing to disk.',
    );
  }
  const port = text(flags, 'port');
  const advertised = text(flags, 'advertised');
  const remoteStorage = text(flags, 'remote-storage');
  if (remoteStorage === 'local' && memoryBytes !== undefined) {
    throw new UsageError(
      '--remote-storage local writes to disk, and --memory asks for the opposite.',
    );
  }
  const quiet = flags.has('quiet');
  const json = flags.has('json');
  return {
    kind: 'start',
    host: text(flags, 'host'),
    port: port === undefined ? undefined : parsePort(port, '--port'),
    advertised: advertised === undefined ? undefined : parseAddress(advertised, '--advertised'),
    dataDirectory,
    memoryBytes,
    remoteStorage,
    configFile: text(flags, 'config'),
    properties: propertiesOf(flags.get('set') ?? []),
    http: httpOf(text(flags, 'http')),
    json,
    quiet,
    logLevel: logLevelOf(flags, defaultLevel({ json, quiet })),
  };
}

function demoCommand(flags: Flags): DemoCommand {
  const size = text(flags, 'size');
  return {
    kind: 'demo',
    input: text(flags, 'input'),
    sizeBytes: size === undefined ? DEFAULT_DEMO_BYTES : parseByteSize(size, '--size'),
    remoteStorage: text(flags, 'remote-storage'),
    configFile: text(flags, 'config'),
    properties: propertiesOf(flags.get('set') ?? []),
    logLevel: logLevelOf(flags, 'warn'),
  };
}

function doctorCommand(flags: Flags): DoctorCommand {
  const size = text(flags, 'size');
  const sizeBytes = size === undefined ? DEFAULT_DOCTOR_BYTES : parseByteSize(size, '--size');
  if (sizeBytes > MOST_DOCTOR_BYTES) {
    throw new UsageError(`--size is at most 1GiB for doctor, got ${JSON.stringify(size)}.`);
  }
  return {
    kind: 'doctor',
    remoteStorage: text(flags, 'remote-storage'),
    dataDirectory: text(flags, 'data'),
    configFile: text(flags, 'config'),
    properties: propertiesOf(flags.get('set') ?? []),
    sizeBytes,
    json: flags.has('json'),
    logLevel: logLevelOf(flags, 'error'),
  };
}

function text(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.[0];
}

function memoryOf(flags: Flags): number | undefined {
  if (!flags.has('memory')) return undefined;
  const size = text(flags, 'memory');
  return size === undefined ? DEFAULT_MEMORY_BYTES : parseByteSize(size, '--memory');
}

function httpOf(value: string | undefined): StartCommand['http'] {
  if (value === undefined) return DEFAULT_HTTP;
  if (value === 'off') return undefined;
  const onlyPort = /^\d+$/.test(value);
  const { host, port } = onlyPort
    ? { host: DEFAULT_HTTP.host, port: parsePort(value, '--http') }
    : parseAddress(value, '--http');
  return { host, port: port ?? DEFAULT_HTTP.port };
}

function propertiesOf(pairs: readonly (string | undefined)[]): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const pair of pairs) {
    const split = pair?.indexOf('=') ?? -1;
    if (pair === undefined || split < 1) {
      throw new UsageError(`--set needs KEY=VALUE, got ${JSON.stringify(pair ?? '')}.`);
    }
    properties.set(pair.slice(0, split).trim(), pair.slice(split + 1).trim());
  }
  return properties;
}

function defaultLevel(told: { readonly json: boolean; readonly quiet: boolean }): LogLevel {
  if (told.quiet) return 'error';
  return told.json ? 'info' : 'warn';
}

function logLevelOf(flags: Flags, fallback: LogLevel): LogLevel {
  const level = text(flags, 'log-level');
  if (level === undefined) return fallback;
  if (isLogLevel(level)) return level;
  throw new UsageError(`--log-level is ${LOG_LEVELS.join(', ')}, got ${JSON.stringify(level)}.`);
}
