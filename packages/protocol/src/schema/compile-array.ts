import type { ByteReader } from '../byte-reader.ts';
import { ProtocolError } from '../errors.ts';
import type { ValueCodec, WireForm } from './value-codec.ts';

/**
 * The codec of a list.
 *
 * @param element how one element is read and written
 * @param counted whether elements are objects or strings, which count against the message's budget
 * @param form the form of the list itself; null is refused elsewhere
 */
export function compileArray(element: ValueCodec, counted: boolean, form: WireForm): ValueCodec {
  const { flexible } = form;
  const { read, write } = element;
  const minElementBytes = Math.max(1, element.minBytes);
  return {
    minBytes: flexible ? 1 : 4,
    read: (reader) => {
      const count = flexible
        ? reader.readCompactArrayCount(minElementBytes)
        : reader.readArrayCount(minElementBytes);
      if (count < 0) return null;
      if (counted) reader.takeElements(count);
      return readElements(reader, count, read);
    },
    write: (writer, value) => {
      // The description's type parameter guarantees an array or null.
      const elements = value as readonly unknown[] | null;
      const count = elements === null ? -1 : elements.length;
      if (flexible) writer.writeCompactArrayCount(count);
      else writer.writeArrayCount(count);
      if (elements === null) return;
      let index = 0;
      try {
        for (; index < count; index++) write(writer, elements[index]);
      } catch (error) {
        throw placed(error, index);
      }
    },
  };
}

function readElements(
  reader: ByteReader,
  count: number,
  read: (reader: ByteReader) => unknown,
): unknown[] {
  // Grown by pushing: the count is bounded, but memory should follow the bytes that are there.
  const elements: unknown[] = [];
  let index = 0;
  try {
    for (; index < count; index++) elements.push(read(reader));
  } catch (error) {
    throw placed(error, index);
  }
  return elements;
}

function placed(error: unknown, index: number): unknown {
  return error instanceof ProtocolError ? error.within(`[${index}]`) : error;
}
