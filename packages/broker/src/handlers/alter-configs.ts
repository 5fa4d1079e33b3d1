import {
  type AlterConfigsResponse,
  type AlterConfigsResponseResource,
  alterConfigsApi,
  ErrorCode,
  incrementalAlterConfigsApi,
} from '@logloft/protocol';
import { applyOperations, replaceConfig } from '../config/alter-config.ts';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import {
  type ConfigResource,
  type ConfigServices,
  findResource,
  refusalOfConfig,
} from './config-resource.ts';
import { advertisedVersions } from './versions.ts';

/** Replaces all that is set on topics or on the broker. */
export function alterConfigsHandler(services: ConfigServices): Handler {
  return defineHandler({
    api: alterConfigsApi,
    versions: advertisedVersions(alterConfigsApi),
    handle: ({ resources, validateOnly }) =>
      alterAll(resources, { services, validateOnly }, (resource, { configs }) =>
        replaceConfig(resource.definitions, configs),
      ),
  });
}

/** Changes single settings of topics or of the broker (KIP-339). */
export function incrementalAlterConfigsHandler(services: ConfigServices): Handler {
  return defineHandler({
    api: incrementalAlterConfigsApi,
    versions: advertisedVersions(incrementalAlterConfigsApi),
    handle: ({ resources, validateOnly }) =>
      alterAll(resources, { services, validateOnly }, (resource, { configs }) =>
        applyOperations(
          resource,
          configs.map(({ name, configOperation, value }) => ({
            name,
            operation: configOperation,
            value,
          })),
        ),
      ),
  });
}

interface NamedResource {
  readonly resourceType: number;
  readonly resourceName: string;
}

async function alterAll<Resource extends NamedResource>(
  wanted: readonly Resource[],
  options: { readonly services: ConfigServices; readonly validateOnly: boolean },
  change: (resource: ConfigResource, request: Resource) => ReadonlyMap<string, string>,
): Promise<AlterConfigsResponse> {
  const responses: AlterConfigsResponseResource[] = [];
  const seen = new Set<string>();
  for (const request of wanted) {
    const { resourceType, resourceName } = request;
    const key = `${resourceType} ${resourceName}`;
    const refusal = seen.has(key)
      ? { errorCode: ErrorCode.INVALID_REQUEST, message: 'The resource is there more than once.' }
      : await options.services.configs.changes.run(() => alterOne(request, options, change));
    seen.add(key);
    responses.push({
      errorCode: refusal?.errorCode ?? ErrorCode.NONE,
      errorMessage: refusal?.message ?? null,
      resourceType,
      resourceName,
    });
  }
  return { throttleTimeMs: 0, responses };
}

async function alterOne<Resource extends NamedResource>(
  request: Resource,
  options: { readonly services: ConfigServices; readonly validateOnly: boolean },
  change: (resource: ConfigResource, request: Resource) => ReadonlyMap<string, string>,
): Promise<{ readonly errorCode: number; readonly message: string } | undefined> {
  const { resourceType, resourceName } = request;
  const resource = findResource(resourceType, resourceName, options.services);
  if (resource.kind === 'refused') return resource;
  try {
    const overrides = resource.check(change(resource, request));
    if (!options.validateOnly) await resource.store(overrides);
    return undefined;
  } catch (error) {
    return refusalOfConfig(error);
  }
}
