import {
  type CreatePartitionsRequestTopic,
  type CreatePartitionsResponse,
  type CreatePartitionsResponseResult,
  createPartitionsApi,
  ErrorCode,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { NodeIdentity } from '../node.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { refuse } from '../topics/topic-outcome.ts';
import { repeatedNames } from './repeated-names.ts';
import { replicasProblem } from './replicas-problem.ts';
import { advertisedVersions } from './versions.ts';

/** What the handler needs. */
export interface CreatePartitionsServices {
  readonly topics: TopicManager;
  readonly node: NodeIdentity;
}

/** Adds partitions to topics. */
export function createPartitionsHandler(services: CreatePartitionsServices): Handler {
  return defineHandler({
    api: createPartitionsApi,
    versions: advertisedVersions(createPartitionsApi),
    async handle({ topics, validateOnly }): Promise<CreatePartitionsResponse> {
      const repeated = repeatedNames(topics.map(({ name }) => name));
      const results: CreatePartitionsResponseResult[] = [];
      for (const topic of topics) {
        const outcome = repeated.has(topic.name)
          ? refuse(ErrorCode.INVALID_REQUEST, `Topic ${topic.name} is asked for more than once.`)
          : await add(topic, validateOnly, services);
        results.push(
          outcome.kind === 'refused'
            ? { name: topic.name, errorCode: outcome.errorCode, errorMessage: outcome.message }
            : { name: topic.name, errorCode: ErrorCode.NONE, errorMessage: null },
        );
      }
      return { throttleTimeMs: 0, results };
    },
  });
}

async function add(
  { name, count, assignments }: CreatePartitionsRequestTopic,
  validateOnly: boolean,
  { topics, node }: CreatePartitionsServices,
) {
  const present = topics.byName(name)?.partitions.length;
  if (assignments !== null && present !== undefined) {
    if (assignments.length !== count - present) {
      return refuse(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        `Expected assignments for ${count - present} new partitions, got ${assignments.length}.`,
      );
    }
    for (const { brokerIds } of assignments) {
      const problem = replicasProblem(brokerIds, node.nodeId);
      if (problem !== undefined) return refuse(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem);
    }
  }
  return topics.addPartitions(name, count, { validateOnly });
}
