import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, int64, string } from '../schema/field-builders.ts';

/** Asks which APIs the broker has, and says which client asks (KIP-511). */
export interface ApiVersionsRequest {
  clientSoftwareName: string;
  clientSoftwareVersion: string;
}

/** An API and the versions that the broker accepts, both ends included. */
export interface ApiVersionsResponseApi {
  apiKey: number;
  minVersion: number;
  maxVersion: number;
}

/** A feature of the cluster with the levels that this broker can have (KIP-584). */
export interface ApiVersionsResponseSupportedFeature {
  name: string;
  minVersion: number;
  maxVersion: number;
}

/** A feature of the cluster with the levels that are in force (KIP-584). */
export interface ApiVersionsResponseFinalizedFeature {
  name: string;
  maxVersionLevel: number;
  minVersionLevel: number;
}

/** The APIs of the broker. The last four fields are tagged and are left out at their defaults. */
export interface ApiVersionsResponse {
  errorCode: number;
  apiKeys: ApiVersionsResponseApi[];
  throttleTimeMs: number;
  supportedFeatures: ApiVersionsResponseSupportedFeature[];
  finalizedFeaturesEpoch: number;
  finalizedFeatures: ApiVersionsResponseFinalizedFeature[];
  zkMigrationReady: boolean;
}

/** ApiVersions (18). Its response has the plain header in every version. */
export const apiVersionsApi: ApiDescription<ApiVersionsRequest, ApiVersionsResponse> = defineApi<
  ApiVersionsRequest,
  ApiVersionsResponse
>({
  key: 18,
  name: 'ApiVersions',
  versions: [0, 4],
  flexibleFrom: 3,
  request: {
    clientSoftwareName: string({ from: 3 }),
    clientSoftwareVersion: string({ from: 3 }),
  },
  response: {
    errorCode: int16(),
    apiKeys: array(
      struct<ApiVersionsResponseApi>({
        apiKey: int16(),
        minVersion: int16(),
        maxVersion: int16(),
      }),
    ),
    throttleTimeMs: int32({ from: 1 }),
    supportedFeatures: array(
      struct<ApiVersionsResponseSupportedFeature>({
        name: string(),
        minVersion: int16(),
        maxVersion: int16(),
      }),
      { from: 3, tag: 0 },
    ),
    finalizedFeaturesEpoch: int64({ from: 3, tag: 1, default: -1 }),
    finalizedFeatures: array(
      struct<ApiVersionsResponseFinalizedFeature>({
        name: string(),
        maxVersionLevel: int16(),
        minVersionLevel: int16(),
      }),
      { from: 3, tag: 2 },
    ),
    zkMigrationReady: bool({ from: 3, tag: 3 }),
  },
});
