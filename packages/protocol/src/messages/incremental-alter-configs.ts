import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int8, nullable, string } from '../schema/field-builders.ts';
import { type AlterConfigsResponse, alterConfigsResponse } from './alter-configs.ts';

/** A change of one setting. */
export interface IncrementalAlterConfigsRequestConfig {
  name: string;
  /** 0: set, 1: back to the default, 2: append to the list, 3: take away from the list. */
  configOperation: number;
  value: string | null;
}

/** A resource and the changes to its settings. */
export interface IncrementalAlterConfigsRequestResource {
  resourceType: number;
  resourceName: string;
  configs: IncrementalAlterConfigsRequestConfig[];
}

/** Changes settings of resources one by one. */
export interface IncrementalAlterConfigsRequest {
  resources: IncrementalAlterConfigsRequestResource[];
  validateOnly: boolean;
}

/** IncrementalAlterConfigs (44). */
export const incrementalAlterConfigsApi: ApiDescription<
  IncrementalAlterConfigsRequest,
  AlterConfigsResponse
> = defineApi<IncrementalAlterConfigsRequest, AlterConfigsResponse>({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: [0, 1],
  flexibleFrom: 1,
  request: {
    resources: array(
      struct<IncrementalAlterConfigsRequestResource>({
        resourceType: int8(),
        resourceName: string(),
        configs: array(
          struct<IncrementalAlterConfigsRequestConfig>({
            name: string(),
            configOperation: int8(),
            value: nullable(string()),
          }),
        ),
      }),
    ),
    validateOnly: bool(),
  },
  response: alterConfigsResponse.fields,
});
