import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A resource and the settings of it that are wanted; null or none: all. */
export interface DescribeConfigsRequestResource {
  /** 2: topic, 4: broker, 8: broker logger, 16: client metrics, 32: group. */
  resourceType: number;
  resourceName: string;
  configurationKeys: string[] | null;
}

/** Asks for settings. */
export interface DescribeConfigsRequest {
  resources: DescribeConfigsRequestResource[];
  includeSynonyms: boolean;
  includeDocumentation: boolean;
}

/** Another place from which the setting could come, in order of precedence. */
export interface DescribeConfigsResponseSynonym {
  name: string;
  value: string | null;
  source: number;
}

/** A setting. */
export interface DescribeConfigsResponseConfig {
  name: string;
  /** Null when it is not set, or sensitive. */
  value: string | null;
  readOnly: boolean;
  /** Version 0 only. */
  isDefault: boolean;
  /**
   * 1: dynamic topic, 2: dynamic broker, 3: dynamic default of brokers, 4: static broker, 5: default,
   * 6: dynamic broker logger, 7: client metrics, 8: group.
   */
  configSource: number;
  isSensitive: boolean;
  synonyms: DescribeConfigsResponseSynonym[];
  /** 1: boolean, 2: string, 3: int, 4: short, 5: long, 6: double, 7: list, 8: class, 9: password. */
  configType: number;
  documentation: string | null;
}

/** The settings of one resource. */
export interface DescribeConfigsResponseResult {
  errorCode: number;
  errorMessage: string | null;
  resourceType: number;
  resourceName: string;
  configs: DescribeConfigsResponseConfig[];
}

/** The settings. */
export interface DescribeConfigsResponse {
  throttleTimeMs: number;
  results: DescribeConfigsResponseResult[];
}

/** DescribeConfigs (32). */
export const describeConfigsApi: ApiDescription<DescribeConfigsRequest, DescribeConfigsResponse> =
  defineApi<DescribeConfigsRequest, DescribeConfigsResponse>({
    key: 32,
    name: 'DescribeConfigs',
    versions: [0, 4],
    flexibleFrom: 4,
    request: {
      resources: array(
        struct<DescribeConfigsRequestResource>({
          resourceType: int8(),
          resourceName: string(),
          configurationKeys: nullable(array(string())),
        }),
      ),
      includeSynonyms: bool({ from: 1 }),
      includeDocumentation: bool({ from: 3 }),
    },
    response: {
      throttleTimeMs: int32(),
      results: array(
        struct<DescribeConfigsResponseResult>({
          errorCode: int16(),
          errorMessage: nullable(string()),
          resourceType: int8(),
          resourceName: string(),
          configs: array(
            struct<DescribeConfigsResponseConfig>({
              name: string(),
              value: nullable(string()),
              readOnly: bool(),
              isDefault: bool({ to: 0 }),
              configSource: int8({ from: 1, default: -1 }),
              isSensitive: bool(),
              synonyms: array(
                struct<DescribeConfigsResponseSynonym>({
                  name: string(),
                  value: nullable(string()),
                  source: int8(),
                }),
                { from: 1 },
              ),
              configType: int8({ from: 3 }),
              documentation: nullable(string({ from: 3 })),
            }),
          ),
        }),
      ),
    },
  });
