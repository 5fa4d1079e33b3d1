import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** Asks for the coordinators of groups or transactional ids: one `key`, from version 4 on a list. */
export interface FindCoordinatorRequest {
  key: string;
  /** 0: group, 1: transactional id, 2: share group. */
  keyType: number;
  coordinatorKeys: string[];
}

/** The coordinator of one key. On error: node -1, an empty host and port -1. */
export interface FindCoordinatorResponseCoordinator {
  key: string;
  nodeId: number;
  host: string;
  port: number;
  errorCode: number;
  errorMessage: string | null;
}

/** The coordinator up to version 3, the list of coordinators from version 4 on. */
export interface FindCoordinatorResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  nodeId: number;
  host: string;
  port: number;
  coordinators: FindCoordinatorResponseCoordinator[];
}

/** FindCoordinator (10). */
export const findCoordinatorApi: ApiDescription<FindCoordinatorRequest, FindCoordinatorResponse> =
  defineApi<FindCoordinatorRequest, FindCoordinatorResponse>({
    key: 10,
    name: 'FindCoordinator',
    versions: [0, 6],
    flexibleFrom: 3,
    request: {
      key: string({ to: 3 }),
      keyType: int8({ from: 1 }),
      coordinatorKeys: array(string(), { from: 4 }),
    },
    response: {
      throttleTimeMs: int32({ from: 1 }),
      errorCode: int16({ to: 3 }),
      errorMessage: nullable(string({ from: 1, to: 3 })),
      nodeId: int32({ to: 3 }),
      host: string({ to: 3 }),
      port: int32({ to: 3 }),
      coordinators: array(
        struct<FindCoordinatorResponseCoordinator>({
          key: string(),
          nodeId: int32(),
          host: string(),
          port: int32(),
          errorCode: int16(),
          errorMessage: nullable(string()),
        }),
        { from: 4 },
      ),
    },
  });
