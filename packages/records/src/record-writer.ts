// Warm path: one buffer for all records of a batch. Every record is measured, then written.
import type { RecordCursor } from './record-cursor.ts';
import type { FieldInput, RecordHeaderInput, RecordInput } from './record-input.ts';
import { varintBytes, varlongBytes, writeVarint, writeVarlong } from './varint.ts';

const NULL_LENGTH = -1;
const NO_HEADERS: readonly RecordHeaderInput[] = [];

/** Writes records one after the other into a buffer that grows. */
export class RecordWriter {
  #bytes: Buffer;
  #length: number;

  /**
   * @param start bytes to leave free at the front
   * @param initialBytes bytes to take at first, `start` included
   */
  constructor(start: number, initialBytes: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(start, initialBytes));
    this.#length = start;
  }

  /** Bytes so far, those at the front included. */
  get length(): number {
    return this.#length;
  }

  /** Writes a record; false, with nothing changed, when that would lead past `maxBytes`. */
  write(
    offsetDelta: number,
    timestampDelta: number,
    record: RecordInput,
    maxBytes: number,
  ): boolean {
    const { key = null, value = null, headers = NO_HEADERS } = record;
    const bodyBytes =
      1 +
      varlongBytes(timestampDelta) +
      varintBytes(offsetDelta) +
      fieldBytes(key) +
      fieldBytes(value) +
      headersBytes(headers);
    if (!this.#reserve(varintBytes(bodyBytes) + bodyBytes, maxBytes)) return false;
    let at = this.#writeStart(bodyBytes, timestampDelta, offsetDelta);
    at = writeField(this.#bytes, at, key);
    at = writeField(this.#bytes, at, value);
    at = writeVarint(this.#bytes, at, headers.length);
    for (const header of headers) {
      at = writeField(this.#bytes, at, header.key);
      at = writeField(this.#bytes, at, header.value);
    }
    this.#length = at;
    return true;
  }

  /** Writes the record at which `cursor` is, with other deltas; false as {@link write}. */
  copy(
    offsetDelta: number,
    timestampDelta: number,
    cursor: RecordCursor,
    maxBytes: number,
  ): boolean {
    const { key, value, encodedHeaders } = cursor;
    const bodyBytes =
      1 +
      varlongBytes(timestampDelta) +
      varintBytes(offsetDelta) +
      fieldBytes(key) +
      fieldBytes(value) +
      encodedHeaders.length;
    if (!this.#reserve(varintBytes(bodyBytes) + bodyBytes, maxBytes)) return false;
    let at = this.#writeStart(bodyBytes, timestampDelta, offsetDelta);
    at = writeField(this.#bytes, at, key);
    at = writeField(this.#bytes, at, value);
    this.#bytes.set(encodedHeaders, at);
    this.#length = at + encodedHeaders.length;
    return true;
  }

  /** What was written; the writer keeps nothing of it. */
  take(): Buffer {
    const written = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    return written;
  }

  #writeStart(bodyBytes: number, timestampDelta: number, offsetDelta: number): number {
    const bytes = this.#bytes;
    let at = writeVarint(bytes, this.#length, bodyBytes);
    // The attributes of a record: none is in use.
    bytes[at] = 0;
    at = writeVarlong(bytes, at + 1, timestampDelta);
    return writeVarint(bytes, at, offsetDelta);
  }

  #reserve(more: number, maxBytes: number): boolean {
    const needed = this.#length + more;
    if (needed > maxBytes) return false;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(maxBytes, Math.max(needed, this.#bytes.length * 2)),
      );
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    return true;
  }
}

/** Bytes of the content; -1 for null, as it is encoded. */
function contentBytes(field: FieldInput): number {
  if (field === null) return NULL_LENGTH;
  return typeof field === 'string' ? Buffer.byteLength(field, 'utf8') : field.length;
}

function fieldBytes(field: FieldInput): number {
  const length = contentBytes(field);
  return varintBytes(length) + Math.max(0, length);
}

function headersBytes(headers: readonly RecordHeaderInput[]): number {
  let bytes = varintBytes(headers.length);
  for (const header of headers) bytes += fieldBytes(header.key) + fieldBytes(header.value);
  return bytes;
}

function writeField(bytes: Buffer, at: number, field: FieldInput): number {
  const length = contentBytes(field);
  const start = writeVarint(bytes, at, length);
  if (field === null) return start;
  if (typeof field === 'string') return start + bytes.write(field, start, length, 'utf8');
  bytes.set(field, start);
  return start + length;
}
