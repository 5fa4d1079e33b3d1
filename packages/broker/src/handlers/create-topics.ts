import {
  type CreateTopicsRequest,
  type CreateTopicsRequestTopic,
  type CreateTopicsResponse,
  type CreateTopicsResponseTopic,
  createTopicsApi,
  ErrorCode,
} from '@logloft/protocol';
import { describeConfig } from '../config/describe-config.ts';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { refuse, type TopicRefusal } from '../topics/topic-outcome.ts';
import { ZERO_UUID } from '../uuid.ts';
import type { ConfigServices } from './config-resource.ts';
import { repeatedNames } from './repeated-names.ts';
import { replicasProblem } from './replicas-problem.ts';
import { advertisedVersions } from './versions.ts';

const BROKER_DEFAULT = -1;

/** Makes topics that are fully usable when the answer leaves. */
export function createTopicsHandler(services: ConfigServices): Handler {
  return defineHandler({
    api: createTopicsApi,
    versions: advertisedVersions(createTopicsApi),
    async handle(request): Promise<CreateTopicsResponse> {
      const repeated = repeatedNames(request.topics.map(({ name }) => name));
      const topics: CreateTopicsResponseTopic[] = [];
      for (const topic of request.topics) {
        topics.push(
          repeated.has(topic.name)
            ? refused(
                topic.name,
                refuse(ErrorCode.INVALID_REQUEST, `${topic.name} is there twice.`),
              )
            : await create(topic, request, services),
        );
      }
      return { throttleTimeMs: 0, topics };
    },
  });
}

async function create(
  topic: CreateTopicsRequestTopic,
  { validateOnly }: CreateTopicsRequest,
  services: ConfigServices,
): Promise<CreateTopicsResponseTopic> {
  const { name, configs } = topic;
  const problem = placementProblem(topic, services.node.nodeId) ?? configProblem(configs);
  if (problem !== undefined) return refused(name, problem);
  const partitions = topic.assignments.length > 0 ? topic.assignments.length : topic.numPartitions;
  const outcome = await services.topics.create({
    name,
    partitions,
    overrides: new Map(configs.map(({ name: key, value }) => [key, value ?? ''])),
    validateOnly,
  });
  if (outcome.kind === 'refused') return refused(name, outcome);
  const made = outcome.kind === 'created' ? outcome.topic : undefined;
  const overrides =
    outcome.kind === 'valid' ? outcome.overrides : services.topics.overridesOf(outcome.topic);
  return {
    name,
    topicId: made?.topicId ?? ZERO_UUID,
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    topicConfigErrorCode: ErrorCode.NONE,
    numPartitions: outcome.kind === 'valid' ? outcome.partitions : outcome.topic.partitions.length,
    replicationFactor: 1,
    configs: describeConfig(services.configs.topic(overrides), null).map((config) => ({
      name: config.name,
      value: config.value,
      readOnly: config.readOnly,
      configSource: config.configSource,
      isSensitive: config.isSensitive,
    })),
  };
}

/** What is wrong with where the replicas are to be: there is one broker. */
function placementProblem(
  topic: CreateTopicsRequestTopic,
  nodeId: number,
): TopicRefusal | undefined {
  const { assignments, numPartitions, replicationFactor } = topic;
  if (assignments.length === 0) {
    if (replicationFactor === 1 || replicationFactor === BROKER_DEFAULT) return undefined;
    return refuse(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      `Expected a replication factor of 1, the number of brokers, or -1, got ${replicationFactor}.`,
    );
  }
  if (numPartitions !== BROKER_DEFAULT || replicationFactor !== BROKER_DEFAULT) {
    return refuse(
      ErrorCode.INVALID_REQUEST,
      'With replica assignments, the numbers of partitions and replicas must be -1.',
    );
  }
  const indexes = new Set(assignments.map(({ partitionIndex }) => partitionIndex));
  const consecutive = assignments.every((_, index) => indexes.has(index));
  if (!consecutive || indexes.size !== assignments.length) {
    return refuse(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      'Expected assignments for partitions numbered from 0 without gaps.',
    );
  }
  for (const { brokerIds } of assignments) {
    const problem = replicasProblem(brokerIds, nodeId);
    if (problem !== undefined) return refuse(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem);
  }
  return undefined;
}

function configProblem(configs: CreateTopicsRequestTopic['configs']): TopicRefusal | undefined {
  const [repeated] = repeatedNames(configs.map(({ name }) => name));
  if (repeated !== undefined) {
    return refuse(ErrorCode.INVALID_CONFIG, `${repeated} is set more than once.`);
  }
  const unset = configs.find(({ value }) => value === null);
  if (unset === undefined) return undefined;
  return refuse(ErrorCode.INVALID_CONFIG, `${unset.name} was given no value.`);
}

function refused(name: string, { errorCode, message }: TopicRefusal): CreateTopicsResponseTopic {
  return {
    name,
    topicId: ZERO_UUID,
    errorCode,
    errorMessage: message,
    topicConfigErrorCode: ErrorCode.NONE,
    numPartitions: -1,
    replicationFactor: -1,
    configs: [],
  };
}
