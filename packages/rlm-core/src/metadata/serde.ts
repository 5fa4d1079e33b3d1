import type {
  RemoteLogSegmentId,
  RemoteLogSegmentMetadata,
  RemoteLogSegmentState,
  SegmentLeaderEpoch,
  TopicIdPartition,
} from '@logloft/remote-storage';
import type {
  RemoteLogMetadataEvent,
  RemoteLogSegmentMetadataUpdate,
  RemotePartitionDeleteMetadata,
  RemotePartitionDeleteState,
} from './metadata-event.ts';
import { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';
import { bytesToUuid, UUID_BYTES, uuidToBytes } from './uuid.ts';

// The value of a record of Kafka's `__remote_log_metadata`: frame version, api key and message version
// as varints, then the message in the flexible encoding.

const FRAME_VERSION = 1;
const MESSAGE_VERSION = 0;
const API_KEYS = { segment: 0, 'segment-update': 1, 'partition-delete': 2 } as const;
const TAG_TXN_INDEX_EMPTY = 0;
/** int32, int64 and an empty list of tagged fields. */
const EPOCH_ENTRY_BYTES = 13;

const SEGMENT_STATES: readonly RemoteLogSegmentState[] = [
  'COPY_SEGMENT_STARTED',
  'COPY_SEGMENT_FINISHED',
  'DELETE_SEGMENT_STARTED',
  'DELETE_SEGMENT_FINISHED',
];
const PARTITION_STATES: readonly RemotePartitionDeleteState[] = [
  'DELETE_PARTITION_MARKED',
  'DELETE_PARTITION_STARTED',
  'DELETE_PARTITION_FINISHED',
];

/** Encodes an event as Kafka 4 does, byte for byte. */
export function encodeMetadataEvent(event: RemoteLogMetadataEvent): Uint8Array {
  const writer = new RecordWriter();
  writer.unsignedVarint(FRAME_VERSION);
  writer.unsignedVarint(API_KEYS[event.type]);
  writer.unsignedVarint(MESSAGE_VERSION);
  switch (event.type) {
    case 'segment':
      writeSegment(writer, event.metadata);
      break;
    case 'segment-update':
      writeUpdate(writer, event.update);
      break;
    case 'partition-delete':
      writePartitionDelete(writer, event.deletion);
      break;
  }
  return writer.finish();
}

/**
 * Decodes an event. Unknown tagged fields are skipped.
 *
 * @throws RemoteLogError `LOGLOFT_RLM_MALFORMED_METADATA` for anything that is not exactly one event
 */
export function decodeMetadataEvent(bytes: Uint8Array): RemoteLogMetadataEvent {
  const reader = new RecordReader(bytes);
  const frame = reader.unsignedVarint();
  if (frame !== FRAME_VERSION) reader.fail(`frame version 1 expected, found ${frame}`);
  const apiKey = reader.unsignedVarint();
  const version = reader.unsignedVarint();
  if (version !== MESSAGE_VERSION) reader.fail(`message version 0 expected, found ${version}`);
  const event = readMessage(reader, apiKey);
  if (reader.remaining > 0) reader.fail(`${reader.remaining} bytes are left over`);
  return event;
}

function readMessage(reader: RecordReader, apiKey: number): RemoteLogMetadataEvent {
  switch (apiKey) {
    case API_KEYS.segment:
      return { type: 'segment', metadata: readSegment(reader) };
    case API_KEYS['segment-update']:
      return { type: 'segment-update', update: readUpdate(reader) };
    case API_KEYS['partition-delete']:
      return { type: 'partition-delete', deletion: readPartitionDelete(reader) };
    default:
      return reader.fail(`api key 0, 1 or 2 expected, found ${apiKey}`);
  }
}

function writeSegment(writer: RecordWriter, metadata: RemoteLogSegmentMetadata): void {
  writeSegmentId(writer, metadata.remoteLogSegmentId);
  writer.int64(metadata.startOffset);
  writer.int64(metadata.endOffset);
  writer.int32(metadata.brokerId);
  writer.int64(metadata.maxTimestampMs);
  writer.int64(metadata.eventTimestampMs);
  writer.unsignedVarint(metadata.segmentLeaderEpochs.length + 1);
  for (const { epoch, startOffset } of metadata.segmentLeaderEpochs) {
    writer.int32(epoch);
    writer.int64(startOffset);
    writer.unsignedVarint(0);
  }
  writer.int32(metadata.segmentSizeInBytes);
  writer.compactBytes(metadata.customMetadata);
  writer.int8(SEGMENT_STATES.indexOf(metadata.state));
  if (metadata.txnIdxEmpty) {
    writer.unsignedVarint(1);
    writer.unsignedVarint(TAG_TXN_INDEX_EMPTY);
    writer.unsignedVarint(1);
    writer.int8(1);
  } else {
    writer.unsignedVarint(0);
  }
}

function readSegment(reader: RecordReader): RemoteLogSegmentMetadata {
  const remoteLogSegmentId = readSegmentId(reader);
  const startOffset = reader.int64();
  const endOffset = reader.int64();
  const brokerId = reader.int32();
  const maxTimestampMs = reader.int64();
  const eventTimestampMs = reader.int64();
  const segmentLeaderEpochs = readEpochs(reader);
  const segmentSizeInBytes = reader.int32();
  const customMetadata = reader.compactBytes();
  const state = readState(reader, SEGMENT_STATES);
  let txnIdxEmpty = false;
  reader.taggedFields((tag, field) => {
    if (tag === TAG_TXN_INDEX_EMPTY) txnIdxEmpty = field.boolean();
  });
  if (startOffset < 0 || endOffset < startOffset || segmentSizeInBytes < 0) {
    reader.fail(`a segment of offsets ${startOffset} to ${endOffset}, ${segmentSizeInBytes} bytes`);
  }
  return {
    remoteLogSegmentId,
    startOffset,
    endOffset,
    maxTimestampMs,
    brokerId,
    eventTimestampMs,
    segmentSizeInBytes,
    customMetadata,
    state,
    segmentLeaderEpochs,
    txnIdxEmpty,
  };
}

function readEpochs(reader: RecordReader): readonly SegmentLeaderEpoch[] {
  const count = reader.compactArrayLength(EPOCH_ENTRY_BYTES);
  if (count === 0) reader.fail('a segment without leader epochs');
  const epochs: SegmentLeaderEpoch[] = [];
  for (let i = 0; i < count; i += 1) {
    epochs.push({ epoch: reader.int32(), startOffset: reader.int64() });
    reader.taggedFields();
  }
  // Kafka writes them from a sorted map; another writer may not.
  epochs.sort((a, b) => a.epoch - b.epoch);
  return epochs;
}

function writeUpdate(writer: RecordWriter, update: RemoteLogSegmentMetadataUpdate): void {
  writeSegmentId(writer, update.remoteLogSegmentId);
  writer.int32(update.brokerId);
  writer.int64(update.eventTimestampMs);
  writer.compactBytes(update.customMetadata);
  writer.int8(SEGMENT_STATES.indexOf(update.state));
  writer.unsignedVarint(0);
}

function readUpdate(reader: RecordReader): RemoteLogSegmentMetadataUpdate {
  const update = {
    remoteLogSegmentId: readSegmentId(reader),
    brokerId: reader.int32(),
    eventTimestampMs: reader.int64(),
    customMetadata: reader.compactBytes(),
    state: readState(reader, SEGMENT_STATES),
  };
  reader.taggedFields();
  return update;
}

function writePartitionDelete(writer: RecordWriter, deletion: RemotePartitionDeleteMetadata): void {
  writePartition(writer, deletion.topicIdPartition);
  writer.int32(deletion.brokerId);
  writer.int64(deletion.eventTimestampMs);
  writer.int8(PARTITION_STATES.indexOf(deletion.state));
  writer.unsignedVarint(0);
}

function readPartitionDelete(reader: RecordReader): RemotePartitionDeleteMetadata {
  const deletion = {
    topicIdPartition: readPartition(reader),
    brokerId: reader.int32(),
    eventTimestampMs: reader.int64(),
    state: readState(reader, PARTITION_STATES),
  };
  reader.taggedFields();
  return deletion;
}

function writeSegmentId(writer: RecordWriter, id: RemoteLogSegmentId): void {
  writePartition(writer, id.topicIdPartition);
  writer.raw(uuidToBytes(id.id));
  writer.unsignedVarint(0);
}

function readSegmentId(reader: RecordReader): RemoteLogSegmentId {
  const topicIdPartition = readPartition(reader);
  const id = bytesToUuid(reader.raw(UUID_BYTES));
  reader.taggedFields();
  return { topicIdPartition, id };
}

function writePartition(writer: RecordWriter, partition: TopicIdPartition): void {
  writer.compactString(partition.topic);
  writer.raw(uuidToBytes(partition.topicId));
  writer.int32(partition.partition);
  writer.unsignedVarint(0);
}

function readPartition(reader: RecordReader): TopicIdPartition {
  const topic = reader.compactString();
  const topicId = bytesToUuid(reader.raw(UUID_BYTES));
  const partition = reader.int32();
  reader.taggedFields();
  if (partition < 0) reader.fail(`partition ${partition}`);
  return { topicId, topic, partition };
}

function readState<T>(reader: RecordReader, states: readonly T[]): T {
  const number = reader.int8();
  return states[number] ?? reader.fail(`state 0 to ${states.length - 1} expected, found ${number}`);
}
