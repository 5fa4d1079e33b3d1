import {
  ErrorCode,
  type FindCoordinatorResponse,
  type FindCoordinatorResponseCoordinator,
  findCoordinatorApi,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { NodeIdentity } from '../node.ts';
import { advertisedVersions } from './versions.ts';

const GROUP = 0;
const TRANSACTION = 1;

/** What the handler needs. */
export interface FindCoordinatorServices {
  readonly node: NodeIdentity;
  /** Whether committed offsets and groups are loaded. */
  readonly coordinatorReady: () => boolean;
}

/** One node coordinates everything: the answer is always this broker, once its offsets are loaded. */
export function findCoordinatorHandler(services: FindCoordinatorServices): Handler {
  return defineHandler({
    api: findCoordinatorApi,
    versions: advertisedVersions(findCoordinatorApi),
    handle(request, { apiVersion, client }): FindCoordinatorResponse {
      const keys = apiVersion >= 4 ? request.coordinatorKeys : [request.key];
      const coordinators = keys.map((key) =>
        locate(key, request.keyType, { services, listenerName: client.listenerName }),
      );
      const first = coordinators[0];
      return {
        throttleTimeMs: 0,
        errorCode: first?.errorCode ?? ErrorCode.NONE,
        errorMessage: first?.errorMessage ?? null,
        nodeId: first?.nodeId ?? -1,
        host: first?.host ?? '',
        port: first?.port ?? -1,
        coordinators,
      };
    },
  });
}

function locate(
  key: string,
  keyType: number,
  at: { readonly services: FindCoordinatorServices; readonly listenerName: string },
): FindCoordinatorResponseCoordinator {
  const { node, coordinatorReady } = at.services;
  const refuse = (errorCode: number, errorMessage: string): FindCoordinatorResponseCoordinator => ({
    key,
    nodeId: -1,
    host: '',
    port: -1,
    errorCode,
    errorMessage,
  });
  if (keyType === TRANSACTION) {
    return refuse(ErrorCode.INVALID_REQUEST, 'Transactions are not served by this broker yet.');
  }
  if (keyType !== GROUP) {
    return refuse(ErrorCode.INVALID_REQUEST, `Coordinators of type ${keyType} are not served.`);
  }
  if (!coordinatorReady()) {
    return refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, 'Committed offsets are being loaded.');
  }
  const { host, port } = node.endpointOf(at.listenerName);
  return { key, nodeId: node.nodeId, host, port, errorCode: ErrorCode.NONE, errorMessage: null };
}
