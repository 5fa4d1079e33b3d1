import { ByteReader, MalformedBytesError } from './byte-reader.ts';

/**
 * The topics in a ConsumerProtocolSubscription, which members of protocol type `consumer` send as the
 * metadata of their protocols. Only the part that all versions have in common is read.
 *
 * @returns `undefined` when the bytes are something else: metadata is the members' own affair, so
 *   this must never fail
 */
export function subscribedTopicsOf(metadata: Uint8Array): readonly string[] | undefined {
  try {
    const reader = new ByteReader(metadata);
    if (reader.int16() < 0) return undefined;
    const count = reader.arrayLength({ elementBytes: 2 });
    const topics: string[] = [];
    for (let i = 0; i < count; i += 1) topics.push(reader.string());
    return topics;
  } catch (error) {
    if (error instanceof MalformedBytesError) return undefined;
    throw error;
  }
}
