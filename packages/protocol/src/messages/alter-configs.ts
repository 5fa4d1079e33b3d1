import { type ApiDescription, defineApi } from '../schema/api.ts';
import { type StructDescription, struct } from '../schema/description.ts';
import { array, bool, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A setting and its new value. */
export interface AlterConfigsRequestConfig {
  name: string;
  value: string | null;
}

/** A resource and all the settings that it shall have; others go back to their defaults. */
export interface AlterConfigsRequestResource {
  resourceType: number;
  resourceName: string;
  configs: AlterConfigsRequestConfig[];
}

/** Replaces the settings of resources. */
export interface AlterConfigsRequest {
  resources: AlterConfigsRequestResource[];
  validateOnly: boolean;
}

/** What happened to the settings of one resource. */
export interface AlterConfigsResponseResource {
  errorCode: number;
  errorMessage: string | null;
  resourceType: number;
  resourceName: string;
}

/** What happened to the settings. */
export interface AlterConfigsResponse {
  throttleTimeMs: number;
  responses: AlterConfigsResponseResource[];
}

/** The response, which IncrementalAlterConfigs has as well. */
export const alterConfigsResponse: StructDescription<AlterConfigsResponse> =
  struct<AlterConfigsResponse>({
    throttleTimeMs: int32(),
    responses: array(
      struct<AlterConfigsResponseResource>({
        errorCode: int16(),
        errorMessage: nullable(string()),
        resourceType: int8(),
        resourceName: string(),
      }),
    ),
  });

/** AlterConfigs (33). */
export const alterConfigsApi: ApiDescription<AlterConfigsRequest, AlterConfigsResponse> = defineApi<
  AlterConfigsRequest,
  AlterConfigsResponse
>({
  key: 33,
  name: 'AlterConfigs',
  versions: [0, 2],
  flexibleFrom: 2,
  request: {
    resources: array(
      struct<AlterConfigsRequestResource>({
        resourceType: int8(),
        resourceName: string(),
        configs: array(
          struct<AlterConfigsRequestConfig>({ name: string(), value: nullable(string()) }),
        ),
      }),
    ),
    validateOnly: bool(),
  },
  response: alterConfigsResponse.fields,
});
