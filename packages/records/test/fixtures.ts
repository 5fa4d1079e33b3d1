import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  CorruptBatchError,
  DecompressionLimitError,
  InvalidBatchError,
  UnsupportedCompressionError,
} from '../src/index.ts';

/** A gzipped JSON file of `test/vectors`. */
export function readVectors<T>(name: string): T {
  const file = readFileSync(new URL(`./vectors/${name}.json.gz`, import.meta.url));
  return JSON.parse(gunzipSync(file).toString('utf8')) as T;
}

/** Bytes written in hex, with blanks where they help the reader. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s+/g, ''), 'hex');
}

/**
 * Accepted by the parser of Apache Kafka: base offset 42, leader epoch 3, a null key with "hello"
 * and, 5 ms later, the key "k" with a null value.
 */
export const DATA_BATCH = hex(`
  000000000000002a 00000045 00000003 02 5d0ccdb1 0000 00000001 0000018bcfe56800 0000018bcfe56805
  ffffffffffffffff ffff ffffffff 00000002
  16 00 00 00 01 0a 68656c6c6f 00
  0e 00 0a 02 02 6b 01 00`);

/** Likewise: offset 100, producer 7 with epoch 1, coordinator epoch 9. */
export const COMMIT_MARKER = hex(`
  0000000000000064 00000042 00000003 02 4ece5c67 0030 00000000 0000018bcfe56800 0000018bcfe56800
  0000000000000007 0001 ffffffff 00000001
  20 00 00 00 08 00000001 0c 000000000009 00`);

/** What {@link DATA_BATCH} and {@link COMMIT_MARKER} have as their time. */
export const BATCH_TIME = 1_700_000_000_000;

const TYPED = [
  CorruptBatchError,
  InvalidBatchError,
  UnsupportedCompressionError,
  DecompressionLimitError,
] as const;

/** Runs `read`, and passes on every error that is not one of those that bad bytes may cause. */
export function onlyTypedErrors(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!TYPED.some((type) => error instanceof type)) throw error;
  }
}

/** The `reason` of the error that `act` throws. */
export function reasonOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CorruptBatchError || error instanceof InvalidBatchError) {
      return error.reason;
    }
    throw error;
  }
  return 'none';
}
