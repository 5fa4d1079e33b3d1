import type { SegmentSource } from '../log-segment-data.ts';
import { sourceSlices } from '../paced-slices.ts';

// The header of a batch of any version begins with the base offset and the bytes that follow them both;
// the version is at the same place in all of them, behind a leader epoch or a checksum.
const LENGTH_AT = 8;
const BODY_AT = 12;
const MAGIC_AT = 16;
const HEADER_BYTES = 23;
const CODEC_MASK = 0x07;
const HIGHEST_CODEC = 4;

// By version: where the low byte of the attributes is, and the fewest bytes that the body can have.
const LAYOUTS = new Map([
  [0, { attributesAt: 17, leastBodyBytes: 14 }],
  [1, { attributesAt: 17, leastBodyBytes: 22 }],
  [2, { attributesAt: 22, leastBodyBytes: 49 }],
]);

/**
 * Whether the first record batch of a log is compressed.
 *
 * @returns `undefined` when the log does not begin with a batch
 * @throws RemoteStorageError when the source cannot be read; the reason of `signal` when it aborts
 */
export async function isFirstBatchCompressed(
  log: SegmentSource,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  if (log.size < HEADER_BYTES) return undefined;
  const header = Buffer.alloc(HEADER_BYTES);
  let filled = 0;
  const beginning: SegmentSource = {
    size: HEADER_BYTES,
    read: (range, options) => log.read(range, options),
  };
  for await (const slice of sourceSlices(beginning, { signal })) {
    header.set(slice, filled);
    filled += slice.byteLength;
  }
  return codecOf(header, log.size);
}

function codecOf(header: Buffer, logBytes: number): boolean | undefined {
  const layout = LAYOUTS.get(header.readInt8(MAGIC_AT));
  const bodyBytes = header.readInt32BE(LENGTH_AT);
  if (layout === undefined || bodyBytes < layout.leastBodyBytes) return undefined;
  if (BODY_AT + bodyBytes > logBytes) return undefined;
  const codec = header.readUInt8(layout.attributesAt) & CODEC_MASK;
  return codec > HIGHEST_CODEC ? undefined : codec !== 0;
}
