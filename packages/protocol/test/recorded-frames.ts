import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A request of a real client and the response that it accepted, without their size bytes. */
export interface RecordedFrame {
  readonly client: string;
  readonly api: string;
  readonly key: number;
  readonly version: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  readonly setup: string;
  readonly requestHex: string;
  /** Decoded by another implementation: 64-bit numbers as text, bytes and uuids in hexadecimal. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Null when there was no response. */
  readonly responseHex: string | null;
}

/** What kafkajs, platformatic, librdkafka, kafka-python, sarama and Java clients sent. */
export function recordedFrames(): readonly RecordedFrame[] {
  const file = new URL('./vectors/kafka-client-frames.jsonl.gz', import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
