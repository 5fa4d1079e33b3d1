import type { RandomSource } from '@logloft/clock';
import {
  isNotFound,
  isRemoteStorageError,
  RemoteStorageError,
  type UploadPart,
  withDeadline,
} from '@logloft/remote-storage';
import { crcToBase64 } from '../checksums/crc32c.ts';
import { OPERATIONS } from '../gcs-operation.ts';
import { encodeKey, type GcsRequest, objectPath, query } from '../http/gcs-request.ts';
import type { GcsTransport } from '../http/gcs-transport.ts';
import { assertStored, type StoredObject, storedObject, TOKEN_METADATA } from '../stored-object.ts';
import { ResumableSession } from './resumable-session.ts';

/** What an upload needs. */
export interface ObjectUploadOptions {
  readonly transport: GcsTransport;
  readonly random: RandomSource;
  readonly key: string;
  readonly storageClass: string | undefined;
  /** Set where the object must not exist yet: tells this upload's object from anybody else's. */
  readonly token: string | undefined;
  /** Told when bytes move, before a part is done. */
  readonly onMoved: () => void;
}

const TAKE_BACK_DEADLINE_MS = 5_000;
const CONTENT_TYPE = 'application/octet-stream';

/** One attempt to write an object: by one request if it is one part, else by a session. */
export class ObjectUpload {
  readonly #options: ObjectUploadOptions;
  #session: ResumableSession | undefined;
  #crc = 0;
  #summed = 0;
  #altered = false;
  // Whether an attempt ended without an answer, and so may have been stored all the same.
  #ambiguous = false;

  constructor(options: ObjectUploadOptions) {
    this.#options = options;
  }

  /** Whether the store has forgotten the session, so that all has to be sent anew. */
  get isForgotten(): boolean {
    return this.#session?.isForgotten ?? false;
  }

  /** Whether other bytes came to the store than were sent: worth a second try, and no third. */
  get isAltered(): boolean {
    return this.#altered;
  }

  /**
   * Sends a part, whose checksum is that of all bytes up to its end. Parts come in their order, each
   * until it has succeeded.
   *
   * @throws RemoteStorageError by kind; the reason of the signal
   */
  async send(part: UploadPart, signal: AbortSignal): Promise<void> {
    if (part.offset === this.#summed) {
      this.#crc = part.checksum;
      this.#summed += part.bytes.byteLength;
    }
    try {
      const isWhole = part.index === 0 && part.isLast;
      const resource = isWhole
        ? await this.#sendWhole(part, signal)
        : await this.#sendPiece(part, signal);
      if (resource !== undefined) await this.#check(resource);
    } catch (error) {
      if (await this.#isOurs(error, signal)) return;
      // Whoever aborted does not know what came of the request either.
      this.#ambiguous ||= !isRemoteStorageError(error) || error.retryable;
      this.#altered ||= isRemoteStorageError(error) && error.kind === 'corrupt';
      throw error;
    }
  }

  /**
   * Whether the object is there although the upload failed, since only the answer was lost. Asked
   * where an object must not be written twice.
   *
   * @throws RemoteStorageError by kind when the store cannot be asked; the reason of the signal
   */
  async hasArrived(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#options.token === undefined || !this.#ambiguous) return false;
    return (await this.#storedIfOurs(signal)) !== undefined;
  }

  /** Takes away what was begun. Never throws; settles within 5 s. */
  async cancel(): Promise<void> {
    await this.#session?.cancel();
  }

  /**
   * Takes the object away, when its last request was aborted too late. Only where it must have been
   * absent before: otherwise an older one would be lost. Never throws; settles within 5 s.
   */
  async takeBack(): Promise<void> {
    if (this.#options.token === undefined || !this.#ambiguous) return;
    const { clock } = this.#options.transport;
    const { action } = OPERATIONS.cancel;
    await withDeadline({ clock, ms: TAKE_BACK_DEADLINE_MS, action }, async (signal) => {
      const stored = await this.#storedIfOurs(signal);
      if (stored !== undefined) await this.#remove(stored, signal);
    }).catch(() => undefined);
  }

  async #sendWhole(part: UploadPart, signal: AbortSignal): Promise<string> {
    const boundary = `logloft-${randomHex(this.#options.random, 16)}`;
    const head = [
      `--${boundary}`,
      'Content-Type: application/json; charset=UTF-8',
      '',
      JSON.stringify({ ...this.#metadata(), crc32c: crcToBase64(this.#crc) }),
      `--${boundary}`,
      `Content-Type: ${CONTENT_TYPE}`,
      '',
      '',
    ].join('\r\n');
    const request: GcsRequest = {
      ...this.#begin('multipart'),
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      body: [Buffer.from(head), part.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)],
    };
    const { text } = await this.#options.transport.send(request, signal);
    return text;
  }

  async #sendPiece(part: UploadPart, signal: AbortSignal): Promise<string | undefined> {
    const { transport, key } = this.#options;
    this.#session ??= await ResumableSession.start(
      transport,
      {
        ...this.#begin('resumable'),
        key,
        headers: {
          'content-type': 'application/json; charset=UTF-8',
          'x-upload-content-type': CONTENT_TYPE,
        },
        body: [Buffer.from(JSON.stringify(this.#metadata()))],
      },
      signal,
    );
    return await this.#session.send(part, part.isLast ? this.#crc : undefined, signal);
  }

  #begin(uploadType: 'multipart' | 'resumable'): GcsRequest {
    const { transport, key, token, onMoved } = this.#options;
    const parameters = query({
      uploadType,
      name: key,
      ifGenerationMatch: token === undefined ? undefined : '0',
    });
    const target = `/upload/storage/v1/b/${encodeKey(transport.bucket)}/o${parameters}`;
    return { operation: OPERATIONS.write, key, method: 'POST', target, onMoved };
  }

  #metadata(): object {
    const { storageClass, token } = this.#options;
    return {
      contentType: CONTENT_TYPE,
      ...(storageClass === undefined ? {} : { storageClass }),
      ...(token === undefined ? {} : { metadata: { [TOKEN_METADATA]: token } }),
    };
  }

  // A store that does not compare the checksum that was declared may have kept something else.
  async #check(resource: string): Promise<void> {
    const { key } = this.#options;
    const stored = storedObject(resource);
    try {
      assertStored(stored, { key, bytes: this.#summed, crc: this.#crc });
    } catch (error) {
      await this.#remove(stored, undefined).catch(() => undefined);
      throw error;
    }
  }

  // Exactly that generation: somebody may have written another one since.
  async #remove({ generation }: StoredObject, signal: AbortSignal | undefined): Promise<void> {
    if (generation === undefined) return;
    const { transport, key } = this.#options;
    const parameters = query({ ifGenerationMatch: generation });
    const target = objectPath(transport.bucket, key) + parameters;
    await transport.send({ operation: OPERATIONS.delete, key, method: 'DELETE', target }, signal);
  }

  async #isOurs(error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(isRemoteStorageError(error) && error.kind === 'precondition')) return false;
    if (this.#options.token === undefined) return false;
    if (this.#ambiguous && (await this.#storedIfOurs(signal)) !== undefined) return true;
    throw new RemoteStorageError(
      'precondition',
      `The object ${JSON.stringify(this.#options.key)} exists already`,
      { key: this.#options.key, cause: error },
    );
  }

  async #storedIfOurs(signal: AbortSignal | undefined): Promise<StoredObject | undefined> {
    const { transport, key, token } = this.#options;
    const parameters = query({ fields: 'metadata,generation' });
    const target = objectPath(transport.bucket, key) + parameters;
    const request = { operation: OPERATIONS.head, key, method: 'GET', target } as const;
    try {
      const stored = storedObject((await transport.send(request, signal)).text);
      return stored.token === token ? stored : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** Random digits, for names that nobody else must have. */
export function randomHex(random: RandomSource, bytes: number): string {
  return Buffer.from(random.fill(new Uint8Array(bytes))).toString('hex');
}
