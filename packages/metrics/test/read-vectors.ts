import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A number as the files write it: what JSON cannot hold is text. */
export type Encoded = number | string;

/** The vectors of one file, recorded from Apache Kafka's own classes. */
export function readVectors<Scenario>(file: string): readonly Scenario[] {
  const url = new URL(`vectors/${file}.json.gz`, import.meta.url);
  const text = gunzipSync(readFileSync(url)).toString('utf8');
  // The files are ours and their format is fixed; a wrong shape fails the replay.
  return (JSON.parse(text) as { scenarios: Scenario[] }).scenarios;
}

export function decode(encoded: Encoded): number {
  return typeof encoded === 'string' ? Number(encoded) : encoded;
}
