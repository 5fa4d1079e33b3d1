import type { RandomSource } from '@logloft/clock';
import {
  isRemoteStorageError,
  type Pacer,
  type PartUploadOptions,
  type PutOptions,
  RemoteStorageError,
  type RequestBrake,
  type RetryOptions,
  retry,
  type SegmentSource,
  uploadParts,
} from '@logloft/remote-storage';
import { crc32c } from '../checksums/crc32c.ts';
import { PART_STEP_BYTES } from '../gcs-settings.ts';
import type { GcsTransport } from '../http/gcs-transport.ts';
import { ObjectUpload, randomHex } from './object-upload.ts';

/** What {@link putObject} needs. */
export interface PutObjectOptions extends PutOptions {
  readonly transport: GcsTransport;
  readonly random: RandomSource;
  readonly retry: Omit<RetryOptions, 'signal'>;
  readonly partBytes: number;
  readonly memory: PartUploadOptions['memory'];
  /** Shared by all uploads. */
  readonly brake: RequestBrake;
  readonly storageClass: string | undefined;
}

// How often an upload is begun at most when the store forgets its session.
const MAX_SESSIONS = 3;

// The rate of a pacer tells its slices of about 5 ms; a part is to last about a second.
const SLICES_IN_A_PART = 200;

/**
 * Writes an object: a small one by one request, a large one by a session whose pieces go one after the
 * other, the next being read meanwhile. Nothing is visible before the last one, and what was begun is
 * taken away after a failure.
 *
 * @throws RemoteStorageError by kind; the reason of the signal
 */
export async function putObject(
  key: string,
  source: SegmentSource,
  options: PutObjectOptions,
): Promise<void> {
  const { signal, transport, random, storageClass } = options;
  const token = options.ifAbsent ? randomHex(random, 16) : undefined;
  const progress = highWater(options.onProgress);
  const onMoved = (): void => progress.add(0);
  const again = new Beginnings(key);
  for (;;) {
    const upload = new ObjectUpload({ transport, random, key, storageClass, token, onMoved });
    progress.restart();
    try {
      await sendAll(upload, source, { ...options, onProgress: progress.add });
      return;
    } catch (error) {
      await upload.cancel();
      if (signal?.aborted) {
        await upload.takeBack();
        throw signal.reason;
      }
      // Whoever tries again as a whole would take the object for somebody else's.
      const arrived = retry({ ...options.retry, signal }, () => upload.hasArrived(signal));
      if (await arrived.catch(() => false)) return;
      again.permit(upload, error);
    }
  }
}

async function sendAll(
  upload: ObjectUpload,
  source: SegmentSource,
  options: PutObjectOptions,
): Promise<void> {
  const { signal, onProgress, memory, brake, retry } = options;
  let crc = 0;
  await uploadParts(source, {
    signal,
    onProgress,
    pacer: wholeParts(options.pacer),
    partBytes: partBytesFor(options),
    // Pieces of a session cannot overtake each other.
    maxInFlight: 1,
    // Of the object up to there: the store wants that of the whole with its last part.
    checksum: (bytes) => {
      crc = crc32c(bytes, crc);
      return crc;
    },
    memory,
    brake,
    retry,
    send: (part, stop) => upload.send(part, stop),
  });
}

/** Counts how often an upload was begun, and says whether it may begin anew. */
class Beginnings {
  readonly #key: string;
  #sessions = 1;
  #altered = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** @throws the failure, where beginning anew would not help or was tried often enough */
  permit(upload: ObjectUpload, failure: unknown): void {
    if (upload.isAltered) this.#altered += 1;
    if (this.#altered > 1 || !(upload.isAltered || upload.isForgotten)) throw failure;
    if (this.#sessions >= MAX_SESSIONS) throw forgotten(this.#key, failure);
    this.#sessions += 1;
  }
}

/** The part size for a rate: a burst of no more than about a second, in the steps that the store wants. */
function partBytesFor({
  partBytes,
  pacer,
}: {
  readonly partBytes: number;
  readonly pacer?: Pacer | undefined;
}): number {
  const slice = pacer?.sliceBytes;
  if (slice === undefined) return partBytes;
  const steps = Math.floor((slice * SLICES_IN_A_PART) / PART_STEP_BYTES);
  return Math.min(partBytes, Math.max(1, steps) * PART_STEP_BYTES);
}

// Without its slices, so that nobody shrinks the parts to sizes that the store refuses.
function wholeParts(pacer: Pacer | undefined): Pacer | undefined {
  if (pacer === undefined) return undefined;
  return { take: (bytes, options) => pacer.take(bytes, options) };
}

interface Progress {
  restart(): void;
  readonly add: (bytes: number) => void;
}

// What is sent a second time is no progress.
function highWater(onProgress: ((bytes: number) => void) | undefined): Progress {
  let done = 0;
  let told = 0;
  return {
    restart: () => {
      done = 0;
    },
    add: (bytes) => {
      done += bytes;
      const more = Math.max(0, done - told);
      told += more;
      // 0, too: it says that the upload is alive.
      onProgress?.(more);
    },
  };
}

function forgotten(key: string, cause: unknown): RemoteStorageError {
  const said = isRemoteStorageError(cause) ? cause.message : 'it was forgotten';
  return new RemoteStorageError(
    'unavailable',
    `${said}; it was begun ${MAX_SESSIONS} times in vain`,
    { key, cause },
  );
}
