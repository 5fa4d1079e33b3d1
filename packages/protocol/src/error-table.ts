import { ErrorCode, type ErrorName } from './error-codes.ts';

/** An error of the protocol: what its number means and what clients make of it. */
export interface ErrorDescription {
  /** The number on the wire. */
  readonly code: number;
  /** Kafka's name of it. */
  readonly name: ErrorName;
  /** Whether clients may try again by themselves. */
  readonly retriable: boolean;
  /** Whether clients fetch the metadata again first. */
  readonly refreshesMetadata: boolean;
  /** For people, for responses with a message field. */
  readonly message: string;
}

type Flags = '' | 'retriable' | 'retriable refreshing';

/** Name, what Kafka's Java client does about it, and what it says. */
const DESCRIPTIONS: Readonly<Record<ErrorName, readonly [flags: Flags, message: string]>> = {
  UNKNOWN_SERVER_ERROR: ['', 'The broker failed in a way that it did not foresee.'],
  NONE: ['', 'No error.'],
  OFFSET_OUT_OF_RANGE: ['', 'The offset lies outside of what the log holds.'],
  CORRUPT_MESSAGE: [
    'retriable',
    'The checksum, the size or the framing of a record batch is wrong.',
  ],
  UNKNOWN_TOPIC_OR_PARTITION: [
    'retriable refreshing',
    'There is no such topic or partition on this broker.',
  ],
  INVALID_FETCH_SIZE: ['', 'The size to be fetched is not a valid one.'],
  LEADER_NOT_AVAILABLE: ['retriable refreshing', 'The partition has no leader at the moment.'],
  NOT_LEADER_OR_FOLLOWER: [
    'retriable refreshing',
    'This broker does not lead the partition and has no copy of it.',
  ],
  REQUEST_TIMED_OUT: ['retriable', 'The time for the request ran out.'],
  BROKER_NOT_AVAILABLE: ['', 'The broker is not available.'],
  REPLICA_NOT_AVAILABLE: ['retriable refreshing', 'The replica is not available at the moment.'],
  MESSAGE_TOO_LARGE: ['', 'The record batch is larger than the topic allows.'],
  STALE_CONTROLLER_EPOCH: ['', 'The controller has moved on to a newer epoch.'],
  OFFSET_METADATA_TOO_LARGE: ['', 'The text committed with an offset is too long.'],
  NETWORK_EXCEPTION: ['retriable refreshing', 'The connection broke before the answer came.'],
  COORDINATOR_LOAD_IN_PROGRESS: ['retriable', 'The coordinator is still loading its state.'],
  COORDINATOR_NOT_AVAILABLE: ['retriable', 'The coordinator is not available.'],
  NOT_COORDINATOR: ['retriable', 'This broker is not the coordinator.'],
  INVALID_TOPIC_EXCEPTION: ['', 'The topic name is not allowed, or writing to the topic is not.'],
  RECORD_LIST_TOO_LARGE: ['', 'The record batch is larger than a segment.'],
  NOT_ENOUGH_REPLICAS: [
    'retriable',
    'Fewer replicas are in sync than the topic demands; nothing was written.',
  ],
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: [
    'retriable',
    'Fewer replicas are in sync than the topic demands; the records were written.',
  ],
  INVALID_REQUIRED_ACKS: ['', 'The acknowledgement asked for is none of -1, 0 and 1.'],
  ILLEGAL_GENERATION: ['', 'The generation is not the current one of the group.'],
  INCONSISTENT_GROUP_PROTOCOL: ['', 'The member offers no protocol that the other members have.'],
  INVALID_GROUP_ID: ['', 'The group id is not allowed.'],
  UNKNOWN_MEMBER_ID: ['', 'The group has no such member.'],
  INVALID_SESSION_TIMEOUT: ['', 'The session time-out lies outside of what the broker allows.'],
  REBALANCE_IN_PROGRESS: ['', 'The group is being rebalanced; join again.'],
  INVALID_COMMIT_OFFSET_SIZE: ['', 'The committed offset does not fit into a message.'],
  TOPIC_AUTHORIZATION_FAILED: ['', 'The client may not do this with the topic.'],
  GROUP_AUTHORIZATION_FAILED: ['', 'The client may not do this with the group.'],
  CLUSTER_AUTHORIZATION_FAILED: ['', 'The client may not do this with the cluster.'],
  INVALID_TIMESTAMP: ['', 'The timestamp of a record lies outside of what the topic allows.'],
  UNSUPPORTED_SASL_MECHANISM: ['', 'The SASL mechanism is not enabled.'],
  ILLEGAL_SASL_STATE: ['', 'The request does not fit the state of the SASL exchange.'],
  UNSUPPORTED_VERSION: ['', 'The broker does not have this version of the API.'],
  TOPIC_ALREADY_EXISTS: ['', 'There is a topic of this name already.'],
  INVALID_PARTITIONS: ['', 'The number of partitions is not allowed.'],
  INVALID_REPLICATION_FACTOR: [
    '',
    'The replication factor is below 1 or above the number of brokers.',
  ],
  INVALID_REPLICA_ASSIGNMENT: ['', 'The assignment of replicas to brokers is not allowed.'],
  INVALID_CONFIG: ['', 'A setting has a name or value that is not allowed.'],
  NOT_CONTROLLER: ['retriable', 'This broker is not the controller.'],
  INVALID_REQUEST: ['', 'The request contradicts itself or the rules of the API.'],
  UNSUPPORTED_FOR_MESSAGE_FORMAT: ['', 'The message format of the log does not allow this.'],
  POLICY_VIOLATION: ['', 'A policy of the broker does not allow this.'],
  OUT_OF_ORDER_SEQUENCE_NUMBER: [
    '',
    'The sequence number does not follow the last one of the producer.',
  ],
  DUPLICATE_SEQUENCE_NUMBER: ['', 'The sequence number was seen before.'],
  INVALID_PRODUCER_EPOCH: ['', "The producer's epoch is older than the one known."],
  INVALID_TXN_STATE: ['', 'The state of the transaction does not allow this.'],
  INVALID_PRODUCER_ID_MAPPING: ['', 'The producer id does not belong to the transactional id.'],
  INVALID_TRANSACTION_TIMEOUT: [
    '',
    'The transaction time-out lies outside of what the broker allows.',
  ],
  CONCURRENT_TRANSACTIONS: [
    'retriable',
    'The previous transaction of the producer is still being completed.',
  ],
  TRANSACTION_COORDINATOR_FENCED: ['', 'The transaction coordinator has been replaced.'],
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: ['', 'The client may not use the transactional id.'],
  SECURITY_DISABLED: ['', 'The broker has no authorizer.'],
  OPERATION_NOT_ATTEMPTED: ['', 'Nothing was tried since another part of the request failed.'],
  KAFKA_STORAGE_ERROR: [
    'retriable refreshing',
    'The disk failed when the log was read or written.',
  ],
  LOG_DIR_NOT_FOUND: ['', 'There is no such log directory.'],
  SASL_AUTHENTICATION_FAILED: ['', 'The client could not be authenticated.'],
  UNKNOWN_PRODUCER_ID: ['', 'The log has nothing of this producer any more.'],
  REASSIGNMENT_IN_PROGRESS: ['', 'The partition is being moved.'],
  DELEGATION_TOKEN_AUTH_DISABLED: ['', 'Delegation tokens are not enabled.'],
  DELEGATION_TOKEN_NOT_FOUND: ['', 'There is no such delegation token.'],
  DELEGATION_TOKEN_OWNER_MISMATCH: ['', 'The delegation token belongs to somebody else.'],
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: [
    '',
    'Delegation tokens cannot be asked for over this connection.',
  ],
  DELEGATION_TOKEN_AUTHORIZATION_FAILED: [
    '',
    'The client may not do this with the delegation token.',
  ],
  DELEGATION_TOKEN_EXPIRED: ['', 'The delegation token has expired.'],
  INVALID_PRINCIPAL_TYPE: ['', 'The type of the principal is not supported.'],
  NON_EMPTY_GROUP: ['', 'The group has members.'],
  GROUP_ID_NOT_FOUND: ['', 'There is no such group.'],
  FETCH_SESSION_ID_NOT_FOUND: ['retriable', 'There is no such fetch session.'],
  INVALID_FETCH_SESSION_EPOCH: [
    'retriable',
    'The epoch of the fetch session is not the expected one.',
  ],
  LISTENER_NOT_FOUND: [
    'retriable refreshing',
    'The leader has no listener of the name that the request came in on.',
  ],
  TOPIC_DELETION_DISABLED: ['', 'Topics cannot be deleted on this broker.'],
  FENCED_LEADER_EPOCH: [
    'retriable refreshing',
    "The client's leader epoch is older than the broker's.",
  ],
  UNKNOWN_LEADER_EPOCH: ['retriable', "The client's leader epoch is newer than the broker's."],
  UNSUPPORTED_COMPRESSION_TYPE: [
    '',
    'The broker, or this version of the request, does not have the compression type.',
  ],
  STALE_BROKER_EPOCH: ['', "The broker's epoch has changed."],
  OFFSET_NOT_AVAILABLE: ['retriable', 'The leader does not know the high watermark yet.'],
  MEMBER_ID_REQUIRED: ['', 'Join again with the member id of this answer.'],
  PREFERRED_LEADER_NOT_AVAILABLE: [
    'retriable refreshing',
    'The preferred leader is not available.',
  ],
  GROUP_MAX_SIZE_REACHED: ['', 'The group has as many members as it may have.'],
  FENCED_INSTANCE_ID: ['', 'Another member has taken over the instance id.'],
  ELIGIBLE_LEADERS_NOT_AVAILABLE: [
    'retriable refreshing',
    'No replica that may lead the partition is available.',
  ],
  ELECTION_NOT_NEEDED: [
    'retriable refreshing',
    'The partition has the leader that it should have.',
  ],
  NO_REASSIGNMENT_IN_PROGRESS: ['', 'The partition is not being moved.'],
  GROUP_SUBSCRIBED_TO_TOPIC: ['', 'The group is subscribed to the topic.'],
  INVALID_RECORD: ['', 'A record, or its batch, breaks the rules of the topic or the format.'],
  UNSTABLE_OFFSET_COMMIT: ['retriable', 'A transaction that commits offsets is not decided yet.'],
  THROTTLING_QUOTA_EXCEEDED: ['retriable', 'The quota for changes is used up.'],
  PRODUCER_FENCED: ['', 'A newer producer uses the transactional id.'],
  RESOURCE_NOT_FOUND: ['', 'There is no such resource.'],
  DUPLICATE_RESOURCE: ['', 'The resource is there twice.'],
  UNACCEPTABLE_CREDENTIAL: ['', 'The credential does not meet the demands.'],
  INCONSISTENT_VOTER_SET: ['', 'The voters differ from those known.'],
  INVALID_UPDATE_VERSION: ['', 'The version of the update is not the expected one.'],
  FEATURE_UPDATE_FAILED: ['', 'The features could not be changed.'],
  PRINCIPAL_DESERIALIZATION_FAILURE: ['', 'The principal of a forwarded request cannot be read.'],
  SNAPSHOT_NOT_FOUND: ['', 'There is no such snapshot.'],
  POSITION_OUT_OF_RANGE: ['', 'The position lies outside of the snapshot.'],
  UNKNOWN_TOPIC_ID: ['retriable refreshing', 'There is no topic with this id.'],
  DUPLICATE_BROKER_REGISTRATION: ['', 'A broker with this id is registered already.'],
  BROKER_ID_NOT_REGISTERED: ['', 'No broker with this id is registered.'],
  INCONSISTENT_TOPIC_ID: ['retriable refreshing', "The topic's id is not the one of the request."],
  INCONSISTENT_CLUSTER_ID: ['', "The cluster's id is not the one of the request."],
  TRANSACTIONAL_ID_NOT_FOUND: ['', 'There is no such transactional id.'],
  FETCH_SESSION_TOPIC_ID_ERROR: ['retriable', 'The fetch session mixes topic names and topic ids.'],
  INELIGIBLE_REPLICA: ['', 'The replica may not join those in sync.'],
  NEW_LEADER_ELECTED: ['', 'The change led to another leader.'],
  OFFSET_MOVED_TO_TIERED_STORAGE: ['', 'The offset is no longer local; it is in the remote tier.'],
  FENCED_MEMBER_EPOCH: ['', "The member's epoch is no longer valid; join again."],
  UNRELEASED_INSTANCE_ID: ['', 'Another member still uses the instance id.'],
  UNSUPPORTED_ASSIGNOR: ['', 'The broker does not have the assignor.'],
  STALE_MEMBER_EPOCH: ['', "The member's epoch is older than the one known."],
  MISMATCHED_ENDPOINT_TYPE: ['', 'The request went to an endpoint of the wrong type.'],
  UNSUPPORTED_ENDPOINT_TYPE: ['', 'The type of endpoint is not known.'],
  UNKNOWN_CONTROLLER_ID: ['', 'There is no controller with this id.'],
  UNKNOWN_SUBSCRIPTION_ID: ['', "The client's telemetry subscription has changed."],
  TELEMETRY_TOO_LARGE: ['', 'The telemetry is larger than the broker takes.'],
  INVALID_REGISTRATION: ['', 'The controller does not accept the registration.'],
  TRANSACTION_ABORTABLE: ['', 'The transaction cannot go on; abort it, then the producer can.'],
  INVALID_RECORD_STATE: ['', 'The state of the record does not allow this.'],
  SHARE_SESSION_NOT_FOUND: ['retriable', 'There is no such share session.'],
  INVALID_SHARE_SESSION_EPOCH: [
    'retriable',
    'The epoch of the share session is not the expected one.',
  ],
  FENCED_STATE_EPOCH: ['', "The state's epoch is older than the one known."],
  INVALID_VOTER_KEY: ['', "The voter's key does not belong to the replica."],
  DUPLICATE_VOTER: ['', 'The voter is there already.'],
  VOTER_NOT_FOUND: ['', 'There is no such voter.'],
  INVALID_REGULAR_EXPRESSION: ['', 'The regular expression is not accepted.'],
  REBOOTSTRAP_REQUIRED: ['', 'The client should begin again with its bootstrap servers.'],
  STREAMS_INVALID_TOPOLOGY: ['', 'The streams topology is not accepted.'],
  STREAMS_INVALID_TOPOLOGY_EPOCH: ['', 'The epoch of the streams topology is not accepted.'],
  STREAMS_TOPOLOGY_FENCED: ['', 'The streams topology is older than the one known.'],
  SHARE_SESSION_LIMIT_REACHED: [
    'retriable',
    'The broker has as many share sessions as it may have.',
  ],
  GROUP_DELETION_FAILED: ['', 'The group could not be deleted.'],
  STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: [
    '',
    'The description of the streams topology could not be stored.',
  ],
  CONTROLLER_ID_NOT_REGISTERED: ['', 'No controller with this id is registered.'],
};

/** All errors, by ascending code. */
export const ERRORS: readonly ErrorDescription[] = Object.entries(ErrorCode).map(([key, code]) => {
  // Object.entries forgets that the keys are those of the type.
  const name = key as ErrorName;
  const [flags, message] = DESCRIPTIONS[name];
  return {
    code,
    name,
    retriable: flags !== '',
    refreshesMetadata: flags === 'retriable refreshing',
    message,
  };
});

const byCode: ReadonlyMap<number, ErrorDescription> = new Map(
  ERRORS.map((error) => [error.code, error]),
);
const unknown: ErrorDescription = byCode.get(ErrorCode.UNKNOWN_SERVER_ERROR) as ErrorDescription;

/** What a code means; codes that are not known count as UNKNOWN_SERVER_ERROR, as in Kafka's clients. */
export function errorByCode(code: number): ErrorDescription {
  return byCode.get(code) ?? unknown;
}
