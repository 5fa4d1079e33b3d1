import { ErrorCode, type InitProducerIdResponse, initProducerIdApi } from '@logloft/protocol';
import type { ClusterStore } from '../cluster/cluster-store.ts';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { advertisedVersions } from './versions.ts';

const NO_PRODUCER_ID = -1;

function refuse(errorCode: number): InitProducerIdResponse {
  return { throttleTimeMs: 0, errorCode, producerId: NO_PRODUCER_ID, producerEpoch: -1 };
}

/** Gives idempotent producers an id of their own. */
export function initProducerIdHandler(cluster: ClusterStore): Handler {
  return defineHandler({
    api: initProducerIdApi,
    versions: advertisedVersions(initProducerIdApi),
    async handle(request): Promise<InitProducerIdResponse> {
      if (request.transactionalId === '') return refuse(ErrorCode.INVALID_REQUEST);
      // Transactions are not served yet, and this is the one error that no client retries for ever.
      if (request.transactionalId !== null) {
        return refuse(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
      }
      try {
        const producerId = await cluster.nextProducerId();
        return { throttleTimeMs: 0, errorCode: ErrorCode.NONE, producerId, producerEpoch: 0 };
      } catch {
        // The id could not be made durable (a full disk): clients ask the coordinator again.
        return refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE);
      }
    },
  });
}
