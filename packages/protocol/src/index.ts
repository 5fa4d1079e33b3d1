export { APIS, apiByKey } from './api-table.ts';
export { ByteReader, type ByteReaderOptions } from './byte-reader.ts';
export { ByteWriter, type EncodedFrame, type RecordsPayload } from './byte-writer.ts';
export { ErrorCode, type ErrorName } from './error-codes.ts';
export { ERRORS, type ErrorDescription, errorByCode } from './error-table.ts';
export { FrameSizeError } from './frame-size-error.ts';
export { FrameReader, type FrameReaderOptions } from './framing/frame-reader.ts';
export { checkFrameSize, FRAME_SIZE_BYTES } from './framing/frame-size.ts';
export { MalformedMessageError } from './malformed-message-error.ts';
export {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  type ApiVersionsResponseApi,
  type ApiVersionsResponseFinalizedFeature,
  type ApiVersionsResponseSupportedFeature,
  apiVersionsApi,
} from './messages/api-versions.ts';
export {
  type CreateTopicsRequest,
  type CreateTopicsRequestAssignment,
  type CreateTopicsRequestConfig,
  type CreateTopicsRequestTopic,
  type CreateTopicsResponse,
  type CreateTopicsResponseConfig,
  type CreateTopicsResponseTopic,
  createTopicsApi,
} from './messages/create-topics.ts';
export {
  type FetchRequest,
  type FetchRequestForgottenTopic,
  type FetchRequestPartition,
  type FetchRequestReplicaState,
  type FetchRequestTopic,
  type FetchResponse,
  type FetchResponseAbortedTransaction,
  type FetchResponseDivergingEpoch,
  type FetchResponsePartition,
  type FetchResponseSnapshotId,
  type FetchResponseTopic,
  fetchApi,
} from './messages/fetch.ts';
export {
  type FindCoordinatorRequest,
  type FindCoordinatorResponse,
  type FindCoordinatorResponseCoordinator,
  findCoordinatorApi,
} from './messages/find-coordinator.ts';
export {
  type HeartbeatRequest,
  type HeartbeatResponse,
  heartbeatApi,
} from './messages/heartbeat.ts';
export {
  type InitProducerIdRequest,
  type InitProducerIdResponse,
  initProducerIdApi,
} from './messages/init-producer-id.ts';
export {
  type JoinGroupRequest,
  type JoinGroupRequestProtocol,
  type JoinGroupResponse,
  type JoinGroupResponseMember,
  joinGroupApi,
} from './messages/join-group.ts';
export {
  type LeaveGroupRequest,
  type LeaveGroupRequestMember,
  type LeaveGroupResponse,
  type LeaveGroupResponseMember,
  leaveGroupApi,
} from './messages/leave-group.ts';
export {
  type ListOffsetsRequest,
  type ListOffsetsRequestPartition,
  type ListOffsetsRequestTopic,
  type ListOffsetsResponse,
  type ListOffsetsResponsePartition,
  type ListOffsetsResponseTopic,
  listOffsetsApi,
} from './messages/list-offsets.ts';
export {
  type MetadataRequest,
  type MetadataRequestTopic,
  type MetadataResponse,
  type MetadataResponsePartition,
  type MetadataResponseTopic,
  metadataApi,
  OPERATIONS_NOT_ASKED,
} from './messages/metadata.ts';
export {
  type OffsetCommitRequest,
  type OffsetCommitRequestPartition,
  type OffsetCommitRequestTopic,
  type OffsetCommitResponse,
  offsetCommitApi,
} from './messages/offset-commit.ts';
export {
  type OffsetFetchRequest,
  type OffsetFetchRequestGroup,
  type OffsetFetchResponse,
  type OffsetFetchResponseGroup,
  type OffsetFetchResponsePartition,
  type OffsetFetchResponseTopic,
  offsetFetchApi,
} from './messages/offset-fetch.ts';
export {
  type ProduceRequest,
  type ProduceRequestPartition,
  type ProduceRequestTopic,
  type ProduceResponse,
  type ProduceResponsePartition,
  type ProduceResponseRecordError,
  type ProduceResponseTopic,
  produceApi,
} from './messages/produce.ts';
export type {
  LeaderIdAndEpoch,
  NamedTopicPartitions,
  NodeEndpoint,
  PartitionResult,
  TopicPartitionIndexes,
  TopicPartitions,
  TopicResult,
} from './messages/shared-structs.ts';
export {
  type SyncGroupRequest,
  type SyncGroupRequestAssignment,
  type SyncGroupResponse,
  syncGroupApi,
} from './messages/sync-group.ts';
export { ProtocolError } from './protocol-error.ts';
export { RECOMMENDED_VERSIONS, type RecommendedVersions } from './recommended-versions.ts';
export { decodeRequest, encodeRequest, type RequestEnvelope } from './request-frame.ts';
export { decodeRequestHeader, type RequestHeader, readRequestHeader } from './request-header.ts';
export { type DecodedResponse, decodeResponse, encodeResponse } from './response-frame.ts';
export type { ApiDescription } from './schema/api.ts';
export type { Field, PrimitiveKind, TypeDescription } from './schema/field.ts';
export type { MessageCodec, VersionRange } from './schema/message-codec.ts';
export type { StructDescription, StructFields } from './schema/struct.ts';
export { UnencodableValueError } from './unencodable-value-error.ts';
export { UnsupportedVersionError } from './unsupported-version-error.ts';
export { UUID_TEXT_LENGTH, ZERO_UUID } from './uuid.ts';
