import { BatchBuilder } from '@logloft/records';

const RECORD_BYTES = 1024;
// More than any batch needs for varints whose length depends on what they hold.
const SLACK_BYTES = 16;

/**
 * A sound batch of exactly so many bytes, of records of about 1 KiB (one of all of it when it is
 * smaller). The content repeats and does not matter: nobody on the way looks into it.
 *
 * @param bytes from 128 on
 */
export function sizedBatch(bytes: number): { readonly batch: Buffer; readonly records: number } {
  const records = Math.max(1, Math.floor(bytes / RECORD_BYTES));
  const plain = Math.floor(bytes / records) - SLACK_BYTES;
  let last = bytes - plain * (records - 1) - SLACK_BYTES;
  // The length of a length changes the whole; a few steps find the fitting one.
  for (let attempt = 0; attempt < 16; attempt += 1) {
    const batch = buildBatch(records, { plain: Math.max(1, plain), last: Math.max(1, last) });
    if (batch.length === bytes) return { batch, records };
    last += bytes - batch.length;
  }
  throw new RangeError(`No batch of exactly ${bytes} bytes was found`);
}

function buildBatch(records: number, value: { plain: number; last: number }): Buffer {
  const builder = new BatchBuilder({ initialBytes: 2048 });
  const timestamp = Date.now();
  for (let i = 0; i < records; i += 1) {
    const length = i === records - 1 ? value.last : value.plain;
    builder.append({ timestamp, key: null, value: Buffer.alloc(length, i + 1) });
  }
  return builder.build();
}
