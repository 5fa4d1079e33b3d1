import { readFile, stat } from 'node:fs/promises';
import {
  type PluginLogger,
  RemoteStorageError,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import type { AuthHeaders } from './auth-headers.ts';
import { authFromJson, type CredentialsContext } from './credentials.ts';

/** What {@link FileAuth} needs. */
export interface FileAuthOptions extends CredentialsContext {
  readonly path: string;
  readonly logger: PluginLogger;
}

// How often the file is looked at.
const CHECK_MS = 10_000;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Credentials in a file, read again when it has changed, so that keys can be rotated under a running
 * broker. A file that cannot be used leaves the credentials as they were.
 */
export class FileAuth implements AuthHeaders {
  readonly #options: FileAuthOptions;
  #auth: AuthHeaders;
  #state: string;
  #checkedMs: number;
  #checking: Promise<void> | undefined;

  private constructor(options: FileAuthOptions, read: ReadFile) {
    this.#options = options;
    this.#auth = read.auth;
    this.#state = read.state;
    this.#checkedMs = options.clock.monotonic();
  }

  /** @throws RemoteStorageError by kind when the file cannot be read or used */
  static async open(options: FileAuthOptions): Promise<FileAuth> {
    return new FileAuth(options, await readAuth(options));
  }

  async headers(signal: AbortSignal | undefined): Promise<Readonly<Record<string, string>>> {
    if (this.#options.clock.monotonic() - this.#checkedMs >= CHECK_MS) await this.#check();
    return await this.#auth.headers(signal);
  }

  async renew(
    refused: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const before = this.#auth;
    await this.#check();
    if (this.#auth !== before) return true;
    return await this.#auth.renew(refused, signal);
  }

  async #check(): Promise<void> {
    this.#checking ??= this.#reload().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #reload(): Promise<void> {
    const { path, logger, clock } = this.#options;
    this.#checkedMs = clock.monotonic();
    try {
      if ((await stateOf(path)) === this.#state) return;
      const { auth, state } = await readAuth(this.#options);
      this.#auth = auth;
      this.#state = state;
      logger.info('Read the credentials anew, since their file has changed', { path });
    } catch (error) {
      logger.warn('The file of the credentials cannot be used; those read before stay', {
        path,
        error,
      });
    }
  }
}

interface ReadFile {
  readonly auth: AuthHeaders;
  readonly state: string;
}

async function readAuth(options: FileAuthOptions): Promise<ReadFile> {
  const { path } = options;
  const origin = `The file ${path} (gcs.credentials.path)`;
  let state: string;
  let text: string;
  try {
    // The state first: a change while it is read is then seen the next time.
    state = await stateOf(path);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof RemoteStorageError) throw error;
    const failure = toRemoteStorageError(error, { action: `Reading ${path}` });
    throw new RemoteStorageError('invalid-configuration', `${origin}: ${failure.message}`, {
      cause: error,
    });
  }
  return { auth: authFromJson(text, origin, options), state };
}

async function stateOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  if (size > MAX_FILE_BYTES) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `The file ${path} (gcs.credentials.path) has ${size} bytes; credentials have a few thousand`,
    );
  }
  return `${ino} ${size} ${mtimeMs}`;
}
