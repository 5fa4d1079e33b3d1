import {
  type AlterConfigsResponseResource,
  type CreateTopicsRequestTopic,
  type CreateTopicsResponseTopic,
  createTopicsApi,
  type DescribeConfigsResponseConfig,
  describeConfigsApi,
  incrementalAlterConfigsApi,
} from '@logloft/protocol';
import type { WireClient } from './wire-client.ts';

/** Kafka's numbers of the resources that have a configuration. */
export const RESOURCE = { topic: 2, broker: 4 } as const;

/** Operations of IncrementalAlterConfigs. */
export const OPERATION = { set: 0, remove: 1, append: 2, subtract: 3 } as const;

/** One change of IncrementalAlterConfigs. */
export interface ConfigChange {
  readonly name: string;
  readonly operation?: number;
  readonly value: string | null;
}

/** A topic of CreateTopics with all defaults, to be adapted. */
export function newTopic(
  name: string,
  topic: Partial<CreateTopicsRequestTopic> = {},
): CreateTopicsRequestTopic {
  return { name, numPartitions: -1, replicationFactor: -1, assignments: [], configs: [], ...topic };
}

/** Asks for topics; their answers in order. */
export async function createTopics(
  client: WireClient,
  topics: CreateTopicsRequestTopic[],
  options: { readonly validateOnly?: boolean; readonly version?: number } = {},
): Promise<CreateTopicsResponseTopic[]> {
  const { validateOnly = false, version = 7 } = options;
  const request = { topics, timeoutMs: 1000, validateOnly };
  return (await client.call(createTopicsApi, version, request)).topics;
}

/** Changes single settings of a topic or of the broker. */
export async function alterConfigs(
  client: WireClient,
  resource: { readonly type: number; readonly name: string },
  changes: readonly ConfigChange[],
  options: { readonly validateOnly?: boolean; readonly version?: number } = {},
): Promise<AlterConfigsResponseResource> {
  const { validateOnly = false, version = 1 } = options;
  const configs = changes.map(({ name, operation = OPERATION.set, value }) => ({
    name,
    configOperation: operation,
    value,
  }));
  const { responses } = await client.call(incrementalAlterConfigsApi, version, {
    validateOnly,
    resources: [{ resourceType: resource.type, resourceName: resource.name, configs }],
  });
  const [answer] = responses;
  if (answer === undefined) throw new Error('the answer lacks the resource');
  return answer;
}

/** Describes a topic or the broker, by name of the property. */
export async function describeConfigs(
  client: WireClient,
  resource: { readonly type: number; readonly name: string },
  options: { readonly keys?: string[] | null; readonly version?: number } = {},
): Promise<Map<string, DescribeConfigsResponseConfig>> {
  const { keys = null, version = 4 } = options;
  const { results } = await client.call(describeConfigsApi, version, {
    resources: [
      { resourceType: resource.type, resourceName: resource.name, configurationKeys: keys },
    ],
    includeSynonyms: true,
    includeDocumentation: true,
  });
  const [answer] = results;
  if (answer === undefined || answer.errorCode !== 0) {
    throw new Error(`not described: ${answer?.errorCode} ${answer?.errorMessage}`);
  }
  return new Map(answer.configs.map((config) => [config.name, config]));
}
