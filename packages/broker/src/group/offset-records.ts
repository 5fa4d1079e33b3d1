import { ByteReader, MalformedBytesError } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/** What a key of `__consumer_offsets` stands for. */
export type OffsetRecordKey =
  | {
      readonly kind: 'offset';
      readonly groupId: string;
      readonly topic: string;
      readonly partition: number;
    }
  | { readonly kind: 'group'; readonly groupId: string };

/** A committed offset with everything that is kept of it. */
export interface CommittedOffset {
  readonly offset: number;
  /** -1 when the client told none. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly commitTimestampMs: number;
  /** Wall-clock ms after which the offset is dropped whatever the retention; -1 for none. */
  readonly expireTimestampMs: number;
}

const OFFSET_KEY_VERSION = 1;
const GROUP_KEY_VERSION = 2;
const PLAIN_VALUE_VERSION = 3;
/** Only this version has a time of its own to expire, and it has no leader epoch. */
const EXPIRING_VALUE_VERSION = 1;
const HIGHEST_VALUE_VERSION = 4;

/** Encodes an OffsetCommitKey, version 1. */
export function encodeOffsetKey(groupId: string, topic: string, partition: number): Buffer {
  return new ByteWriter()
    .int16(OFFSET_KEY_VERSION)
    .string(groupId)
    .string(topic)
    .int32(partition)
    .finish();
}

/** Encodes a GroupMetadataKey, version 2. */
export function encodeGroupKey(groupId: string): Buffer {
  return new ByteWriter().int16(GROUP_KEY_VERSION).string(groupId).finish();
}

/**
 * Decodes a key of any version that classic groups use.
 *
 * @returns `undefined` for versions from 3 on, which belong to other kinds of groups
 * @throws MalformedBytesError when the bytes are no such key
 */
export function decodeOffsetRecordKey(bytes: Uint8Array): OffsetRecordKey | undefined {
  const reader = new ByteReader(bytes);
  const version = reader.int16();
  if (version === 0 || version === OFFSET_KEY_VERSION) {
    const groupId = reader.string();
    const topic = reader.string();
    return { kind: 'offset', groupId, topic, partition: reader.int32() };
  }
  if (version === GROUP_KEY_VERSION) return { kind: 'group', groupId: reader.string() };
  if (version > GROUP_KEY_VERSION) return undefined;
  throw new MalformedBytesError(`expected a key version of 0 or more, found ${version}`);
}

/** Encodes an OffsetCommitValue: version 3, or version 1 for an offset that expires by itself. */
export function encodeOffsetValue(value: CommittedOffset): Buffer {
  const writer = new ByteWriter();
  if (value.expireTimestampMs >= 0) {
    return writer
      .int16(EXPIRING_VALUE_VERSION)
      .int64(value.offset)
      .string(value.metadata)
      .int64(value.commitTimestampMs)
      .int64(value.expireTimestampMs)
      .finish();
  }
  return writer
    .int16(PLAIN_VALUE_VERSION)
    .int64(value.offset)
    .int32(value.leaderEpoch)
    .string(value.metadata)
    .int64(value.commitTimestampMs)
    .finish();
}

/**
 * Decodes an OffsetCommitValue of version 0 to 4.
 *
 * @throws MalformedBytesError when the bytes are none, or of a version that is not known
 */
export function decodeOffsetValue(bytes: Uint8Array): CommittedOffset {
  const reader = new ByteReader(bytes);
  const version = reader.int16();
  if (version < 0 || version > HIGHEST_VALUE_VERSION) {
    throw new MalformedBytesError(
      `expected an offset value of version 0 to ${HIGHEST_VALUE_VERSION}, found ${version}`,
    );
  }
  const offset = reader.int64();
  const leaderEpoch = version >= 3 ? reader.int32() : -1;
  const metadata = version >= 4 ? reader.compactString() : reader.string();
  const commitTimestampMs = reader.int64();
  const expireTimestampMs = version === EXPIRING_VALUE_VERSION ? reader.int64() : -1;
  return { offset, leaderEpoch, metadata, commitTimestampMs, expireTimestampMs };
}
