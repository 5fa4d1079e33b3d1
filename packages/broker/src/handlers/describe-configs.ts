import {
  type DescribeConfigsRequestResource,
  type DescribeConfigsResponseResult,
  describeConfigsApi,
  ErrorCode,
} from '@logloft/protocol';
import { describeConfig } from '../config/describe-config.ts';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { type ConfigServices, findResource } from './config-resource.ts';
import { advertisedVersions } from './versions.ts';

/** Describes the configuration of topics and of the broker. */
export function describeConfigsHandler(services: ConfigServices): Handler {
  return defineHandler({
    api: describeConfigsApi,
    versions: advertisedVersions(describeConfigsApi),
    handle: ({ resources, includeSynonyms, includeDocumentation }) => ({
      throttleTimeMs: 0,
      results: resources.map((resource) =>
        describe(resource, services, { includeSynonyms, includeDocumentation }),
      ),
    }),
  });
}

function describe(
  { resourceType, resourceName, configurationKeys }: DescribeConfigsRequestResource,
  services: ConfigServices,
  include: { readonly includeSynonyms: boolean; readonly includeDocumentation: boolean },
): DescribeConfigsResponseResult {
  const resource = findResource(resourceType, resourceName, services);
  if (resource.kind === 'refused') {
    const { errorCode, message: errorMessage } = resource;
    return { errorCode, errorMessage, resourceType, resourceName, configs: [] };
  }
  const described = describeConfig(resource.effective, configurationKeys);
  return {
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    resourceType,
    resourceName,
    configs: described.map((config) => ({
      ...config,
      synonyms: include.includeSynonyms ? [...config.synonyms] : [],
      documentation: include.includeDocumentation ? config.documentation : null,
    })),
  };
}
