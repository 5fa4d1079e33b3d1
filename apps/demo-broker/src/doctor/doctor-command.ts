import type { LogLevel } from '../logger.ts';

/** What `logloft doctor` is told. */
export interface DoctorCommand {
  readonly kind: 'doctor';
  /** `undefined`: what the configuration says. */
  readonly remoteStorage: string | undefined;
  /** Where a local store keeps its files. */
  readonly dataDirectory: string | undefined;
  readonly configFile: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
  /** Bytes of the large object that is written and read. */
  readonly sizeBytes: number;
  readonly json: boolean;
  readonly logLevel: LogLevel;
}
