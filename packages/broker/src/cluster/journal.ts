import { type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32c } from '@logloft/records';
import { BrokerError } from '../errors.ts';
import type { BrokerLogger } from '../logger.ts';

/** Keeps events durably and in order, for a state that is rebuilt from them at start. */
export interface Journal<E> extends AsyncDisposable {
  /**
   * Resolves when the event is durable. Events are durable in the order of the calls. `apply` is
   * called at that moment, before anything else happens to the journal.
   */
  append(event: E, apply: () => void): Promise<void>;
  /**
   * Replaces all events so far, atomically, by those that `events` gives when its turn has come.
   * Appends that follow wait for it.
   */
  rewrite(events: () => readonly E[]): Promise<void>;
  /** Bytes kept now. */
  readonly sizeInBytes: number;
  /** Waits for what is under way, and closes. Idempotent. */
  close(): Promise<void>;
}

/** A journal for a broker that keeps nothing. */
export class MemoryJournal<E> implements Journal<E> {
  readonly sizeInBytes = 0;

  append(_event: E, apply: () => void): Promise<void> {
    apply();
    return Promise.resolve();
  }

  rewrite(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** What a journal held when it was opened. */
export interface OpenedJournal<E> {
  readonly journal: FileJournal<E>;
  readonly events: readonly E[];
}

// uint32 length of the JSON text, uint32 CRC-32C of it, the text.
const RECORD_HEADER_BYTES = 8;
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * A journal in a file. Events that are appended while a flush is under way share the next one.
 *
 * A crash can tear the end of the file, never what was acknowledged. At opening, the file is cut at
 * the first record that is not whole; what is cut off is kept beside it for a person to look at.
 */
export class FileJournal<E> implements Journal<E> {
  readonly #path: string;
  #file: FileHandle;
  #size: number;
  #queued: { readonly bytes: Buffer; readonly apply: () => void }[] = [];
  #queuedFlush: Promise<void> | undefined;
  // Everything that touches the file is a link of this chain, so that appends and rewrites never overlap.
  #tail: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  /** Whether a power cut would find this file, and not the one that it replaced. */
  #nameIsDurable = true;
  #closing: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle, size: number) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
  }

  /**
   * Opens or creates the file at `path` and reads its events.
   *
   * @throws BrokerError `LOGLOFT_BROKER_DATA_DIRECTORY` when the file cannot be read or written
   */
  static async open<E>(path: string, logger: BrokerLogger): Promise<OpenedJournal<E>> {
    try {
      const file = await open(path, 'a+');
      const bytes = await file.readFile();
      const { events, validBytes } = parseRecords<E>(bytes);
      if (validBytes < bytes.length) {
        const rest = `${path}.cut`;
        logger.warn('The journal ended in a torn record; the rest was cut off and kept', {
          path,
          kept: rest,
          cutBytes: bytes.length - validBytes,
        });
        await writeFile(rest, bytes.subarray(validBytes));
        await file.truncate(validBytes);
        await file.datasync();
      }
      await syncDirectory(dirname(path));
      return { journal: new FileJournal<E>(path, file, validBytes), events };
    } catch (error) {
      throw new BrokerError(
        'LOGLOFT_BROKER_DATA_DIRECTORY',
        `Cannot open ${path}: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  get sizeInBytes(): number {
    return this.#size;
  }

  append(event: E, apply: () => void): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    this.#queued.push({ bytes: encodeRecord(event), apply });
    this.#queuedFlush ??= this.#chain(() => this.#flushQueued());
    return this.#queuedFlush;
  }

  rewrite(events: () => readonly E[]): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    return this.#chain(() => this.#replaceFile(Buffer.concat(events().map(encodeRecord))));
  }

  close(): Promise<void> {
    this.#closing ??= this.#tail.then(() => this.#file.close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #chain(step: () => Promise<void>): Promise<void> {
    const result = this.#tail.then(step);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #flushQueued(): Promise<void> {
    const queued = this.#queued;
    const bytes = Buffer.concat(queued.map((entry) => entry.bytes));
    this.#queued = [];
    this.#queuedFlush = undefined;
    // After a failed write it is unknown what the file ends with: only a restart finds that out.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await this.#makeNameDurable();
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (error) {
      await this.#recoverFrom(error as Error);
      throw error;
    }
    this.#size += bytes.length;
    for (const { apply } of queued) apply();
  }

  /** Takes back what a failed write (a full disk) may have left, so that the next one can succeed. */
  async #recoverFrom(error: Error): Promise<void> {
    try {
      await this.#file.truncate(this.#size);
    } catch {
      this.#failure = error;
    }
  }

  async #replaceFile(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const file = await this.#writeBeside(bytes);
    // From here on this is the journal, whatever fails: what went to the old file would be lost.
    const old = this.#file;
    this.#file = file;
    this.#size = bytes.length;
    this.#nameIsDurable = false;
    await old.close();
    await this.#makeNameDurable();
  }

  /** Writes a new file and puts it in the place of the old one. */
  async #writeBeside(bytes: Buffer): Promise<FileHandle> {
    const temporary = `${this.#path}.tmp`;
    // For appending, since it goes on as the journal.
    const file = await open(temporary, 'a+');
    try {
      await file.truncate(0);
      await file.appendFile(bytes);
      await file.datasync();
      await rename(temporary, this.#path);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #makeNameDurable(): Promise<void> {
    if (this.#nameIsDurable) return;
    await syncDirectory(dirname(this.#path));
    this.#nameIsDurable = true;
  }
}

function closedError(): BrokerError {
  return new BrokerError('LOGLOFT_BROKER_CLOSED', 'The journal is closed');
}

function encodeRecord(event: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(event));
  const header = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  header.writeUInt32BE(text.length, 0);
  header.writeUInt32BE(crc32c(text), 4);
  return Buffer.concat([header, text]);
}

function parseRecords<E>(bytes: Buffer): { events: E[]; validBytes: number } {
  const events: E[] = [];
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + RECORD_HEADER_BYTES + length;
    if (length > MAX_RECORD_BYTES || end > bytes.length) break;
    const text = bytes.subarray(at + RECORD_HEADER_BYTES, end);
    if (crc32c(text) !== bytes.readUInt32BE(at + 4)) break;
    // The checksum vouches that this is what encodeRecord wrote.
    events.push(JSON.parse(text.toString()) as E);
    at = end;
  }
  return { events, validBytes: at };
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
