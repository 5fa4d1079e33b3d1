import { crc32c, getInt64, setInt64 } from '@logloft/records';
import { LogCorruptError } from '../errors.ts';
import { NONE, ProducerEntry } from './producer-entry.ts';

const VERSION = 1;
const HEADER_BYTES = 10;
const ENTRY_BYTES = 46;
/** The checksum covers all that follows it. */
const CRC_FROM = 6;

/** The `.snapshot` file: of each producer its epoch, last batch and open transaction. */
export function printProducerSnapshot(entries: Iterable<ProducerEntry>): Buffer {
  const all = [...entries];
  const bytes = Buffer.alloc(HEADER_BYTES + all.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setInt16(0, VERSION);
  view.setInt32(CRC_FROM, all.length);
  let at = HEADER_BYTES;
  for (const entry of all) {
    setInt64(view, at, entry.producerId);
    view.setInt16(at + 8, entry.epoch);
    view.setInt32(at + 10, entry.lastSequence);
    setInt64(view, at + 14, entry.lastOffset);
    view.setInt32(at + 22, entry.lastOffsetDelta);
    setInt64(view, at + 26, entry.lastTimestamp);
    view.setInt32(at + 34, entry.coordinatorEpoch);
    setInt64(view, at + 38, entry.transactionFirstOffset);
    at += ENTRY_BYTES;
  }
  view.setUint32(2, crc32c(bytes.subarray(CRC_FROM)));
  return bytes;
}

/**
 * Reads a `.snapshot` file.
 *
 * @throws LogCorruptError when version, length or checksum are wrong
 */
export function parseProducerSnapshot(bytes: Buffer): ProducerEntry[] {
  if (bytes.length < HEADER_BYTES) {
    throw new LogCorruptError(
      `A producer snapshot has ${bytes.length} bytes, fewer than its header`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getInt16(0);
  if (version !== VERSION) {
    throw new LogCorruptError(`Expected a producer snapshot of version 1, found ${version}`);
  }
  const count = view.getInt32(CRC_FROM);
  if (count < 0 || bytes.length !== HEADER_BYTES + count * ENTRY_BYTES) {
    throw new LogCorruptError(`${count} producers do not fit a snapshot of ${bytes.length} bytes`);
  }
  if (view.getUint32(2) !== crc32c(bytes.subarray(CRC_FROM))) {
    throw new LogCorruptError('The checksum of a producer snapshot does not match');
  }
  const entries: ProducerEntry[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
    entries.push(parseEntry(view, at));
  }
  return entries;
}

function parseEntry(view: DataView, at: number): ProducerEntry {
  const entry = new ProducerEntry(getInt64(view, at));
  entry.epoch = view.getInt16(at + 8);
  const lastSequence = view.getInt32(at + 10);
  const lastOffset = getInt64(view, at + 14);
  const timestamp = getInt64(view, at + 26);
  if (lastOffset > NONE) {
    entry.add(lastSequence, lastOffset, view.getInt32(at + 22), timestamp);
  }
  entry.lastTimestamp = timestamp;
  entry.coordinatorEpoch = view.getInt32(at + 34);
  entry.transactionFirstOffset = getInt64(view, at + 38);
  return entry;
}
