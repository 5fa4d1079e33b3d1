import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A number as the files write it: what JSON cannot hold is text. */
export type Encoded = number | string;

/** One file of vectors, recorded from Apache Kafka's own classes. */
export function readVectors<File>(file: string): File {
  const url = new URL(`vectors/${file}.json.gz`, import.meta.url);
  // The files are ours and their format is fixed; a wrong shape fails the replay.
  return JSON.parse(gunzipSync(readFileSync(url)).toString('utf8')) as File;
}

export function decode(encoded: Encoded): number {
  return typeof encoded === 'string' ? Number(encoded) : encoded;
}
