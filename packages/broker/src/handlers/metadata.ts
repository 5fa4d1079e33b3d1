import {
  ErrorCode,
  type MetadataRequest,
  type MetadataRequestTopic,
  type MetadataResponse,
  type MetadataResponseTopic,
  metadataApi,
} from '@logloft/protocol';
import { defineHandler, type Handler, type RequestContext } from '../dispatch/handler.ts';
import type { NodeIdentity } from '../node.ts';
import type { Topic } from '../topics/topic.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { topicNameProblem } from '../topics/topic-name.ts';
import { ZERO_UUID } from '../uuid.ts';
import {
  CLUSTER_OPERATIONS,
  operationsIfAsked,
  TOPIC_OPERATIONS,
} from './authorized-operations.ts';
import { advertisedVersions } from './versions.ts';

/** First version in which a topic can be asked for by id. */
const FIRST_LOOKUP_BY_ID = 12;

/** What the handler needs. */
export interface MetadataServices {
  readonly node: NodeIdentity;
  readonly topics: TopicManager;
  /** `auto.create.topics.enable`, read at each request. */
  readonly autoCreateTopics: () => boolean;
}

/**
 * Tells clients where topics are. A topic that is created on the way is whole when the answer leaves:
 * that very answer names its leader, so that the first produce succeeds.
 */
export function metadataHandler(services: MetadataServices): Handler {
  return defineHandler({
    api: metadataApi,
    versions: advertisedVersions(metadataApi),
    handle(request, context) {
      const call = { request, context, services };
      const { topics } = request;
      // In version 0 there is no null, and an empty list means all.
      const all = topics === null || (context.apiVersion === 0 && topics.length === 0);
      return all ? respond(allTopics(call), call) : describeWanted(topics, call);
    },
  });
}

interface Call {
  readonly request: MetadataRequest;
  readonly context: RequestContext;
  readonly services: MetadataServices;
}

function allTopics({ request, services }: Call): MetadataResponseTopic[] {
  return services.topics.all().map((topic) => describe(topic, request, services.node));
}

async function describeWanted(
  wanted: readonly MetadataRequestTopic[],
  call: Call,
): Promise<MetadataResponse> {
  const seen = new Set<string>();
  const answers: MetadataResponseTopic[] = [];
  for (const topic of wanted) {
    const key = topic.name ?? `\u0000${topic.topicId}`;
    if (seen.has(key)) continue;
    seen.add(key);
    answers.push(await describeOne(topic, call));
  }
  return respond(answers, call);
}

async function describeOne(
  wanted: MetadataRequestTopic,
  { request, context, services }: Call,
): Promise<MetadataResponseTopic> {
  const { name, topicId } = wanted;
  const { topics, node } = services;
  if (context.apiVersion < FIRST_LOOKUP_BY_ID && (name === null || topicId !== ZERO_UUID)) {
    // There, a name cannot be null in an answer.
    return failed(name ?? '', topicId, ErrorCode.INVALID_REQUEST);
  }
  if (name === null) {
    const found = topics.byId(topicId);
    return found === undefined
      ? failed(null, topicId, ErrorCode.UNKNOWN_TOPIC_ID)
      : describe(found, request, node);
  }
  const known = topics.byName(name);
  if (known !== undefined) return describe(known, request, node);
  if (topicNameProblem(name) !== undefined) {
    return failed(name, ZERO_UUID, ErrorCode.INVALID_TOPIC_EXCEPTION);
  }
  if (!(request.allowAutoTopicCreation && services.autoCreateTopics())) {
    return failed(name, ZERO_UUID, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  }
  const created = await topics.autoCreate(name);
  return created.kind === 'created'
    ? describe(created.topic, request, node)
    : failed(name, ZERO_UUID, created.errorCode);
}

function respond(
  topics: MetadataResponseTopic[],
  { request, context, services }: Call,
): MetadataResponse {
  const { node } = services;
  const { host, port } = node.endpointOf(context.client.listenerName);
  return {
    throttleTimeMs: 0,
    brokers: [{ nodeId: node.nodeId, host, port, rack: node.rack }],
    clusterId: node.clusterId,
    controllerId: node.nodeId,
    topics,
    clusterAuthorizedOperations: operationsIfAsked(
      request.includeClusterAuthorizedOperations,
      CLUSTER_OPERATIONS,
    ),
  };
}

function describe(
  topic: Topic,
  request: MetadataRequest,
  { nodeId }: NodeIdentity,
): MetadataResponseTopic {
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.topicId,
    isInternal: topic.internal,
    partitions: topic.partitions.map(({ index, leaderEpoch }) => ({
      errorCode: ErrorCode.NONE,
      partitionIndex: index,
      leaderId: nodeId,
      leaderEpoch,
      replicaNodes: [nodeId],
      isrNodes: [nodeId],
      offlineReplicas: [],
    })),
    topicAuthorizedOperations: operationsIfAsked(
      request.includeTopicAuthorizedOperations,
      TOPIC_OPERATIONS,
    ),
  };
}

function failed(name: string | null, topicId: string, errorCode: number): MetadataResponseTopic {
  return {
    errorCode,
    name,
    topicId,
    isInternal: false,
    partitions: [],
    topicAuthorizedOperations: operationsIfAsked(false, 0),
  };
}
