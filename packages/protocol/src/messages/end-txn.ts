import { type ApiDescription, defineApi } from '../schema/api.ts';
import { bool, int16, int32, int64, string } from '../schema/field-builders.ts';

/** Commits or aborts a transaction. */
export interface EndTxnRequest {
  transactionalId: string;
  producerId: number;
  producerEpoch: number;
  committed: boolean;
}

/** What happened; from version 5 on with the producer's next epoch (KIP-890). */
export interface EndTxnResponse {
  throttleTimeMs: number;
  errorCode: number;
  producerId: number;
  producerEpoch: number;
}

/** EndTxn (26). */
export const endTxnApi: ApiDescription<EndTxnRequest, EndTxnResponse> = defineApi<
  EndTxnRequest,
  EndTxnResponse
>({
  key: 26,
  name: 'EndTxn',
  versions: [0, 5],
  flexibleFrom: 3,
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    committed: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    producerId: int64({ from: 5, default: -1 }),
    producerEpoch: int16({ from: 5, default: -1 }),
  },
});
