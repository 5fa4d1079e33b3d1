import { type ByteRange, clipByteRange } from '../byte-range.ts';
import type { SegmentSource } from '../log-segment-data.ts';

/** Several sources one after the other, as one. */
export function concatenatedSource(parts: readonly SegmentSource[]): SegmentSource {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  return {
    size,
    async *read(range: ByteRange, options): AsyncGenerator<Uint8Array, void, void> {
      if (size === 0 && range.start === 0) return;
      const { start, length } = clipByteRange(range, size);
      const end = start + length;
      let base = 0;
      for (const part of parts) {
        const from = Math.max(start - base, 0);
        const to = Math.min(end - base, part.size);
        if (from < to) yield* part.read({ start: from, end: to - 1 }, options);
        base += part.size;
      }
    },
  };
}
