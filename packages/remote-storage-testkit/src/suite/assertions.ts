import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { isRemoteStorageError, type RemoteStorageErrorKind } from '@logloft/remote-storage';

/** The promise must reject with a `RemoteStorageError` of one of these kinds. */
export async function rejectsWithKind(
  promise: Promise<unknown>,
  ...kinds: readonly RemoteStorageErrorKind[]
): Promise<void> {
  const failure = await failureOf(promise);
  assert.ok(
    isRemoteStorageError(failure),
    `expected a RemoteStorageError (${kinds.join(' or ')}), got ${String(failure)}`,
  );
  assert.ok(
    kinds.includes(failure.kind),
    `expected the kind ${kinds.join(' or ')}, got ${failure.kind}: ${failure.message}`,
  );
}

/** The promise must reject with exactly this value. */
export async function rejectsWith(promise: Promise<unknown>, reason: unknown): Promise<void> {
  assert.equal(await failureOf(promise), reason);
}

/** The promise must reject with something. */
export async function rejects(promise: Promise<unknown>, what: string): Promise<void> {
  await failureOf(promise, what);
}

async function failureOf(promise: Promise<unknown>, what = 'the call'): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (reason: unknown) => ({ reason }),
  );
  assert.ok(outcome !== undefined, `${what} must fail, but succeeded`);
  return outcome.reason;
}

/** Compares bytes without printing all of them. */
export function sameBytes(found: Uint8Array, expected: Uint8Array, what: string): void {
  assert.equal(found.byteLength, expected.byteLength, `${what}: number of bytes`);
  if (Buffer.compare(found, expected) === 0) return;
  const at = found.findIndex((byte, index) => byte !== expected[index]);
  assert.fail(`${what}: byte ${at} differs`);
}

/** All bytes of a stream. */
export async function allBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  for await (const piece of pieces) kept.push(Uint8Array.from(piece));
  return Uint8Array.from(Buffer.concat(kept));
}

/** Reads one piece, then breaks off. */
export async function firstPiece(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of pieces) return Uint8Array.from(piece);
  return new Uint8Array(0);
}

/** How many are told when the signal aborts. */
export function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

/** Lets what is under way come to rest. */
export async function afterwards(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
