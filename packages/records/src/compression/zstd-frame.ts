const ZSTD_MAGIC = 0xfd2fb528;
const SINGLE_SEGMENT = 0x20;
/** Bytes of the dictionary id, by the two lowest bits of the descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
/** Bytes of the content size, by the two highest bits of the descriptor. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** Added to a content size of two bytes, as smaller ones take one byte. */
const TWO_BYTE_BIAS = 256;

/**
 * The length that the zstd frame at the start of `data` declares of its content (RFC 8878, 3.1.1.1).
 *
 * @returns undefined when it declares none, or is no frame of data
 */
export function zstdContentBytes(data: Uint8Array): number | undefined {
  if (data.length < 6) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getUint32(0, true) !== ZSTD_MAGIC) return undefined;
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  const declared = CONTENT_SIZE_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3];
  // A single segment has no window, and then always a content size.
  const size = declared === 0 && isSingleSegment ? 1 : declared;
  const at = 5 + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
  if (size === 0 || at + size > data.length) return undefined;
  if (size === 1) return view.getUint8(at);
  if (size === 2) return view.getUint16(at, true) + TWO_BYTE_BIAS;
  const low = view.getUint32(at, true);
  return size === 4 ? low : low + view.getUint32(at + 4, true) * 2 ** 32;
}
