import type { DoctorCommand } from '../doctor/doctor-command.ts';
import type { LogLevel } from '../logger.ts';
import type { QuotaLabCommand } from '../quota-lab/quota-lab-command.ts';
import type { Address } from './address.ts';

/** What `logloft start` is told. */
export interface StartCommand {
  readonly kind: 'start';
  /** `undefined`: 127.0.0.1, unless the configuration says otherwise. */
  readonly host: string | undefined;
  /** `undefined`: 9092, unless the configuration says otherwise. 0 picks a free one. */
  readonly port: number | undefined;
  readonly advertised: Address | undefined;
  readonly dataDirectory: string | undefined;
  /** Bytes that logs, and the remote tier, may take in memory; `undefined` to use the disk. */
  readonly memoryBytes: number | undefined;
  /** `undefined`: what suits the rest. */
  readonly remoteStorage: string | undefined;
  readonly configFile: string | undefined;
  /** Properties, the later of two winning. */
  readonly properties: ReadonlyMap<string, string>;
  /** `undefined` for none. */
  readonly http: { readonly host: string; readonly port: number } | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: LogLevel;
}

/** What `logloft demo` is told. */
export interface DemoCommand {
  readonly kind: 'demo';
  /** `undefined`: the installed dependencies. */
  readonly input: string | undefined;
  /** Most bytes to send. */
  readonly sizeBytes: number;
  /** `undefined`: the local disk. */
  readonly remoteStorage: string | undefined;
  readonly configFile: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
  readonly logLevel: LogLevel;
}

/** What the command line asks for. */
export type Command =
  | StartCommand
  | DemoCommand
  | DoctorCommand
  | QuotaLabCommand
  | { readonly kind: 'help' | 'version' };
