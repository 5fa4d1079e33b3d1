import { type ApiDescription, defineApi } from '../schema/api.ts';
import { int16, int32, int64, nullable, string } from '../schema/field-builders.ts';

/** Asks for a producer id. */
export interface InitProducerIdRequest {
  /** Null for a producer that is only idempotent. */
  transactionalId: string | null;
  transactionTimeoutMs: number;
  /** The id that the producer has, or -1. */
  producerId: number;
  producerEpoch: number;
}

/** The producer id; -1 on error. */
export interface InitProducerIdResponse {
  throttleTimeMs: number;
  errorCode: number;
  producerId: number;
  producerEpoch: number;
}

/** InitProducerId (22). */
export const initProducerIdApi: ApiDescription<InitProducerIdRequest, InitProducerIdResponse> =
  defineApi<InitProducerIdRequest, InitProducerIdResponse>({
    key: 22,
    name: 'InitProducerId',
    versions: [0, 5],
    flexibleFrom: 2,
    request: {
      transactionalId: nullable(string()),
      transactionTimeoutMs: int32(),
      producerId: int64({ from: 3, default: -1 }),
      producerEpoch: int16({ from: 3, default: -1 }),
    },
    response: {
      throttleTimeMs: int32(),
      errorCode: int16(),
      producerId: int64({ default: -1 }),
      producerEpoch: int16(),
    },
  });
