import {
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsResponse,
  type DescribeTopicPartitionsResponseTopic,
  describeTopicPartitionsApi,
  ErrorCode,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { NodeIdentity } from '../node.ts';
import type { Topic } from '../topics/topic.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { ZERO_UUID } from '../uuid.ts';
import { TOPIC_OPERATIONS } from './authorized-operations.ts';
import { advertisedVersions } from './versions.ts';

/** `max.request.partition.size.limit` of Kafka: most partitions of one answer. */
const MAX_PARTITIONS = 2000;

/** What the handler needs. */
export interface DescribeTopicPartitionsServices {
  readonly topics: TopicManager;
  readonly node: NodeIdentity;
}

/** Describes topics page by page, in the order of their names (KIP-966). */
export function describeTopicPartitionsHandler(services: DescribeTopicPartitionsServices): Handler {
  return defineHandler({
    api: describeTopicPartitionsApi,
    versions: advertisedVersions(describeTopicPartitionsApi),
    handle: (request) => new Page(request, services).fill(),
  });
}

class Page {
  readonly #request: DescribeTopicPartitionsRequest;
  readonly #services: DescribeTopicPartitionsServices;
  #room: number;

  constructor(request: DescribeTopicPartitionsRequest, services: DescribeTopicPartitionsServices) {
    this.#request = request;
    this.#services = services;
    this.#room = Math.min(Math.max(1, request.responsePartitionLimit), MAX_PARTITIONS);
  }

  fill(): DescribeTopicPartitionsResponse {
    const topics: DescribeTopicPartitionsResponseTopic[] = [];
    const { cursor } = this.#request;
    for (const name of this.#names()) {
      if (cursor !== null && name < cursor.topicName) continue;
      if (this.#room === 0) return respond(topics, { topicName: name, partitionIndex: 0 });
      const topic = this.#services.topics.byName(name);
      if (topic === undefined) {
        topics.push(unknown(name));
        continue;
      }
      const first = name === cursor?.topicName ? Math.max(0, cursor.partitionIndex) : 0;
      const end = Math.min(topic.partitions.length, first + this.#room);
      this.#room -= Math.max(0, end - first);
      topics.push(this.#describe(topic, first, end));
      if (end < topic.partitions.length) {
        return respond(topics, { topicName: name, partitionIndex: end });
      }
    }
    return respond(topics, null);
  }

  #names(): readonly string[] {
    const { topics } = this.#request;
    if (topics.length === 0) return this.#services.topics.all().map(({ name }) => name);
    return [...new Set(topics.map(({ name }) => name))].sort();
  }

  #describe(topic: Topic, first: number, end: number): DescribeTopicPartitionsResponseTopic {
    const { nodeId } = this.#services.node;
    return {
      errorCode: ErrorCode.NONE,
      name: topic.name,
      topicId: topic.topicId,
      isInternal: topic.internal,
      partitions: topic.partitions.slice(first, end).map(({ index, leaderEpoch }) => ({
        errorCode: ErrorCode.NONE,
        partitionIndex: index,
        leaderId: nodeId,
        leaderEpoch,
        replicaNodes: [nodeId],
        isrNodes: [nodeId],
        eligibleLeaderReplicas: [],
        lastKnownElr: [],
        offlineReplicas: [],
      })),
      topicAuthorizedOperations: TOPIC_OPERATIONS,
    };
  }
}

function respond(
  topics: DescribeTopicPartitionsResponseTopic[],
  nextCursor: DescribeTopicPartitionsResponse['nextCursor'],
): DescribeTopicPartitionsResponse {
  return { throttleTimeMs: 0, topics, nextCursor };
}

function unknown(name: string): DescribeTopicPartitionsResponseTopic {
  return {
    errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    name,
    topicId: ZERO_UUID,
    isInternal: false,
    partitions: [],
    topicAuthorizedOperations: TOPIC_OPERATIONS,
  };
}
