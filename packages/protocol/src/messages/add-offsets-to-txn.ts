import { type ApiDescription, defineApi } from '../schema/api.ts';
import { int16, int32, int64, string } from '../schema/field-builders.ts';

/** Adds the offsets of a group to a transaction. */
export interface AddOffsetsToTxnRequest {
  transactionalId: string;
  producerId: number;
  producerEpoch: number;
  groupId: string;
}

/** What happened. */
export interface AddOffsetsToTxnResponse {
  throttleTimeMs: number;
  errorCode: number;
}

/** AddOffsetsToTxn (25). */
export const addOffsetsToTxnApi: ApiDescription<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse> =
  defineApi<AddOffsetsToTxnRequest, AddOffsetsToTxnResponse>({
    key: 25,
    name: 'AddOffsetsToTxn',
    versions: [0, 4],
    flexibleFrom: 3,
    request: {
      transactionalId: string(),
      producerId: int64(),
      producerEpoch: int16(),
      groupId: string(),
    },
    response: { throttleTimeMs: int32(), errorCode: int16() },
  });
