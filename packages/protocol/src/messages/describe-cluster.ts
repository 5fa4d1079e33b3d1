import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { OPERATIONS_NOT_ASKED } from './metadata.ts';

/** Asks about the cluster. */
export interface DescribeClusterRequest {
  includeClusterAuthorizedOperations: boolean;
  /** 1: brokers, 2: controllers. */
  endpointType: number;
}

/** A broker as clients reach it. */
export interface DescribeClusterResponseBroker {
  brokerId: number;
  host: string;
  port: number;
  rack: string | null;
}

/** The cluster. */
export interface DescribeClusterResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  endpointType: number;
  clusterId: string;
  controllerId: number;
  brokers: DescribeClusterResponseBroker[];
  clusterAuthorizedOperations: number;
}

/** DescribeCluster (60). */
export const describeClusterApi: ApiDescription<DescribeClusterRequest, DescribeClusterResponse> =
  defineApi<DescribeClusterRequest, DescribeClusterResponse>({
    key: 60,
    name: 'DescribeCluster',
    versions: [0, 1],
    flexibleFrom: 0,
    request: {
      includeClusterAuthorizedOperations: bool(),
      endpointType: int8({ from: 1, default: 1 }),
    },
    response: {
      throttleTimeMs: int32(),
      errorCode: int16(),
      errorMessage: nullable(string()),
      endpointType: int8({ from: 1, default: 1 }),
      clusterId: string(),
      controllerId: int32({ default: -1 }),
      brokers: array(
        struct<DescribeClusterResponseBroker>({
          brokerId: int32(),
          host: string(),
          port: int32(),
          rack: nullable(string()),
        }),
      ),
      clusterAuthorizedOperations: int32({ default: OPERATIONS_NOT_ASKED }),
    },
  });
