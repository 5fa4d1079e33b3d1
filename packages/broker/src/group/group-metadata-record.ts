import { ByteReader, MalformedBytesError } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/** A member as `__consumer_offsets` keeps it. */
export interface MemberMetadata {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  /** Metadata for the chosen protocol. */
  readonly subscription: Buffer;
  readonly assignment: Buffer;
}

/** A group as `__consumer_offsets` keeps it: either stable with its members, or empty. */
export interface GroupMetadata {
  readonly protocolType: string;
  readonly generationId: number;
  readonly protocolName: string | null;
  readonly leaderId: string | null;
  /** Wall-clock ms at which the group came into this state; -1 when it is not known. */
  readonly stateSinceMs: number;
  readonly members: readonly MemberMetadata[];
}

const WRITTEN_VERSION = 3;
const HIGHEST_VERSION = 4;
/** Six strings or byte arrays of at least two bytes, and a session timeout. */
const SMALLEST_MEMBER_BYTES = 10;

/** Encodes a GroupMetadataValue, version 3. */
export function encodeGroupMetadata(metadata: GroupMetadata): Buffer {
  const writer = new ByteWriter()
    .int16(WRITTEN_VERSION)
    .string(metadata.protocolType)
    .int32(metadata.generationId)
    .nullableString(metadata.protocolName)
    .nullableString(metadata.leaderId)
    .int64(metadata.stateSinceMs)
    .int32(metadata.members.length);
  for (const member of metadata.members) {
    writer
      .string(member.memberId)
      .nullableString(member.groupInstanceId)
      .string(member.clientId)
      .string(member.clientHost)
      .int32(member.rebalanceTimeoutMs)
      .int32(member.sessionTimeoutMs)
      .bytes(member.subscription)
      .bytes(member.assignment);
  }
  return writer.finish();
}

/**
 * Decodes a GroupMetadataValue of version 0 to 4.
 *
 * @throws MalformedBytesError when the bytes are none, or of a version that is not known
 */
export function decodeGroupMetadata(bytes: Uint8Array): GroupMetadata {
  const reader = new ByteReader(bytes);
  const version = reader.int16();
  if (version < 0 || version > HIGHEST_VERSION) {
    throw new MalformedBytesError(
      `expected group metadata of version 0 to ${HIGHEST_VERSION}, found ${version}`,
    );
  }
  const flexible = version >= 4;
  const protocolType = flexible ? reader.compactString() : reader.string();
  const generationId = reader.int32();
  const protocolName = flexible ? reader.compactNullableString() : reader.nullableString();
  const leaderId = flexible ? reader.compactNullableString() : reader.nullableString();
  const stateSinceMs = version >= 2 ? reader.int64() : -1;
  const size = { elementBytes: SMALLEST_MEMBER_BYTES };
  const count = flexible ? reader.compactArrayLength(size) : reader.arrayLength(size);
  const members: MemberMetadata[] = [];
  for (let i = 0; i < count; i += 1) {
    members.push(flexible ? decodeFlexibleMember(reader) : decodeMember(reader, version));
  }
  return { protocolType, generationId, protocolName, leaderId, stateSinceMs, members };
}

function decodeMember(reader: ByteReader, version: number): MemberMetadata {
  const memberId = reader.string();
  const groupInstanceId = version >= 3 ? reader.nullableString() : null;
  const clientId = reader.string();
  const clientHost = reader.string();
  const rebalanceTimeoutMs = version >= 1 ? reader.int32() : undefined;
  const sessionTimeoutMs = reader.int32();
  return {
    memberId,
    groupInstanceId,
    clientId,
    clientHost,
    // Version 0 is from a time when the session timeout was both.
    rebalanceTimeoutMs: rebalanceTimeoutMs ?? sessionTimeoutMs,
    sessionTimeoutMs,
    subscription: reader.bytes(),
    assignment: reader.bytes(),
  };
}

function decodeFlexibleMember(reader: ByteReader): MemberMetadata {
  const member: MemberMetadata = {
    memberId: reader.compactString(),
    groupInstanceId: reader.compactNullableString(),
    clientId: reader.compactString(),
    clientHost: reader.compactString(),
    rebalanceTimeoutMs: reader.int32(),
    sessionTimeoutMs: reader.int32(),
    subscription: reader.compactBytes(),
    assignment: reader.compactBytes(),
  };
  reader.skipTaggedFields();
  return member;
}
