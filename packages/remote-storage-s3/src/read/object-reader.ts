import { crc32 } from 'node:zlib';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
  type ByteRange,
  type CallOptions,
  clipByteRange,
  isRemoteStorageError,
  type OpenedBody,
  ReleasingStream,
  RemoteStorageError,
  resumedBody,
} from '@logloft/remote-storage';
import { crc32Text } from '../crc32-combine.ts';
import { toS3Error } from '../errors/s3-error.ts';
import { tuned } from '../tuned-command.ts';
import { BodyPieces, isNodeStream } from './body-pieces.ts';
import { parseContentRange } from './content-range.ts';
import type { RequestContext } from './head-object.ts';

/** What reads are made with. */
export interface ReaderContext extends RequestContext {
  /** Bodies that are being read, to be stopped when the store is closed. */
  readonly open: Set<BodyPieces>;
  readonly now: () => number;
}

/**
 * Reads an object or a range of it: one request, and one more for each time that the connection is cut.
 * An object that is read whole is compared with the checksum that the store keeps, where it keeps one.
 *
 * @throws RemoteStorageError by kind
 */
export async function readObject(
  context: ReaderContext,
  key: string,
  range: ByteRange | undefined,
  options: CallOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { calls, settings } = context;
  if (range !== undefined) clipByteRange(range, Number.MAX_SAFE_INTEGER);
  let expected: string | undefined;
  let isFirst = true;
  const pieces = await resumedBody({
    ...options,
    key,
    range,
    retry: calls.retrying,
    idleMs: Math.max(settings.idleTimeoutMs, settings.requestTimeoutMs),
    open: async (wanted, version, signal) => {
      const wantsChecksum = isFirst && range === undefined && settings.verifyReads;
      const opened = await openBody(
        context,
        { key, range: wanted, version, wantsChecksum },
        signal,
      );
      if (wantsChecksum) expected = opened.crc32;
      isFirst = false;
      return opened;
    },
  });
  return expected === undefined ? pieces : verified(pieces, { key, expected, options });
}

interface WantedBody {
  readonly key: string;
  readonly range: ByteRange | undefined;
  readonly version: string | undefined;
  readonly wantsChecksum: boolean;
}

async function openBody(
  context: ReaderContext,
  wanted: WantedBody,
  signal: AbortSignal,
): Promise<OpenedBody & { readonly crc32: string | undefined }> {
  const { client, calls, settings, open } = context;
  const { key, range, version, wantsChecksum } = wanted;
  const { bucket } = settings;
  const facts = { action: 'Reading the object', key, permission: 's3:GetObject' };
  const answer = await calls.once(facts, { signal, isStream: true, discard: dropBody }, (options) =>
    client.send(
      tuned(
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          Range: rangeHeader(range),
          IfMatch: version,
        }),
        { wantsChecksum },
      ),
      options,
    ),
  );
  const { Body: body } = answer;
  if (!isNodeStream(body)) {
    throw new RemoteStorageError(
      'invalid-configuration',
      "The client's request handler must give streams of Node",
    );
  }
  const length = lengthOf(answer, range);
  if (length === undefined) {
    body.destroy();
    throw new RemoteStorageError(
      'corrupt',
      `Reading the object ${JSON.stringify(key)} in bucket "${bucket}" was answered with other bytes ` +
        'than were asked for',
      { key },
    );
  }
  const pieces = new BodyPieces(body, {
    toError: (thrown) => toS3Error(thrown, facts, { bucket, nowMs: context.now() }),
    onClosed: (closed) => open.delete(closed),
  });
  open.add(pieces);
  return { pieces, length, version: answer.ETag, crc32: wholeCrc32(answer) };
}

function rangeHeader(range: ByteRange | undefined): string | undefined {
  return range === undefined ? undefined : `bytes=${range.start}-${range.end ?? ''}`;
}

// `undefined` when the answer is not the one that was asked for.
function lengthOf(
  { ContentRange: header, ContentLength: length }: GetObjectCommandOutput,
  range: ByteRange | undefined,
): number | undefined {
  if (range === undefined) return length;
  const given = parseContentRange(header);
  if (given === undefined || given.start !== range.start) return undefined;
  // Only where the object ends may an answer end before what was asked for.
  const { end = Number.MAX_SAFE_INTEGER } = range;
  const last = given.total === undefined ? range.end : Math.min(end, given.total - 1);
  if (last !== undefined && given.end !== last) return undefined;
  const promised = given.end - given.start + 1;
  return length === undefined || length === promised ? promised : undefined;
}

// A checksum of checksums (`...-3`) says nothing of the bytes themselves.
function wholeCrc32({ ChecksumCRC32: crc }: GetObjectCommandOutput): string | undefined {
  return crc?.includes('-') ? undefined : crc;
}

function verified(
  pieces: AsyncIterable<Uint8Array>,
  { key, expected, options }: { key: string; expected: string; options: CallOptions },
): AsyncIterable<Uint8Array> {
  const inner = pieces[Symbol.asyncIterator]();
  let crc = 0;
  return new ReleasingStream<Uint8Array>({
    signal: options.signal,
    next: async () => {
      const result = await inner.next();
      if (!result.done) {
        crc = crc32(result.value, crc);
        return result;
      }
      if (crc32Text(crc) !== expected) throw altered(key, expected, crc32Text(crc));
      return { done: true, value: undefined };
    },
    release: async () => {
      await inner.return?.();
    },
  });
}

function altered(key: string, expected: string, found: string): RemoteStorageError {
  return new RemoteStorageError(
    'corrupt',
    `The object ${JSON.stringify(key)} has the CRC-32 ${found}, but the store keeps ${expected} for it; ` +
      'it was altered or damaged',
    { key },
  );
}

function dropBody({ Body: body }: GetObjectCommandOutput): void {
  if (isNodeStream(body)) body.destroy();
}

/** Stops all reads of a store that is being closed. */
export function stopReads(open: Set<BodyPieces>, reason: unknown): void {
  if (!isRemoteStorageError(reason)) return;
  for (const pieces of [...open]) pieces.stop(reason);
}
