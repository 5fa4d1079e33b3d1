import { describeClusterApi, ErrorCode } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { NodeIdentity } from '../node.ts';
import { CLUSTER_OPERATIONS, operationsIfAsked } from './authorized-operations.ts';
import { advertisedVersions } from './versions.ts';

const BROKERS = 1;

/** Describes the cluster of one broker. */
export function describeClusterHandler(node: NodeIdentity): Handler {
  return defineHandler({
    api: describeClusterApi,
    versions: advertisedVersions(describeClusterApi),
    handle({ includeClusterAuthorizedOperations, endpointType }, { client, apiVersion }) {
      const { nodeId, clusterId, rack } = node;
      const asksForBrokers = apiVersion === 0 || endpointType === BROKERS;
      const { host, port } = node.endpointOf(client.listenerName);
      return {
        throttleTimeMs: 0,
        errorCode: asksForBrokers ? ErrorCode.NONE : ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
        errorMessage: asksForBrokers ? null : `Endpoints of type ${endpointType} are not served.`,
        endpointType: BROKERS,
        clusterId,
        controllerId: nodeId,
        brokers: asksForBrokers ? [{ brokerId: nodeId, host, port, rack }] : [],
        clusterAuthorizedOperations: operationsIfAsked(
          includeClusterAuthorizedOperations,
          CLUSTER_OPERATIONS,
        ),
      };
    },
  });
}
