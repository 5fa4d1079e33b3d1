import { type ApiDescription, defineApi } from '../schema/api.ts';
import { int16, int32, nullable, string } from '../schema/field-builders.ts';

/** Says that a member is alive. */
export interface HeartbeatRequest {
  groupId: string;
  generationId: number;
  memberId: string;
  groupInstanceId: string | null;
}

/** Says whether the member is still in, and through REBALANCE_IN_PROGRESS when to join again. */
export interface HeartbeatResponse {
  throttleTimeMs: number;
  errorCode: number;
}

/** Heartbeat (12). */
export const heartbeatApi: ApiDescription<HeartbeatRequest, HeartbeatResponse> = defineApi<
  HeartbeatRequest,
  HeartbeatResponse
>({
  key: 12,
  name: 'Heartbeat',
  versions: [0, 4],
  flexibleFrom: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: nullable(string({ from: 3 })),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    errorCode: int16(),
  },
});
