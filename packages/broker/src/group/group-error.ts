/**
 * The names of Kafka's error codes that the coordinator answers with. The numbers belong to the wire
 * and to whoever encodes the response.
 */
export type GroupErrorName =
  | 'NONE'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  | 'OFFSET_METADATA_TOO_LARGE'
  | 'COORDINATOR_LOAD_IN_PROGRESS'
  | 'COORDINATOR_NOT_AVAILABLE'
  | 'ILLEGAL_GENERATION'
  | 'INCONSISTENT_GROUP_PROTOCOL'
  | 'INVALID_GROUP_ID'
  | 'UNKNOWN_MEMBER_ID'
  | 'INVALID_SESSION_TIMEOUT'
  | 'REBALANCE_IN_PROGRESS'
  | 'NON_EMPTY_GROUP'
  | 'GROUP_ID_NOT_FOUND'
  | 'MEMBER_ID_REQUIRED'
  | 'GROUP_MAX_SIZE_REACHED'
  | 'FENCED_INSTANCE_ID'
  | 'GROUP_SUBSCRIBED_TO_TOPIC';
