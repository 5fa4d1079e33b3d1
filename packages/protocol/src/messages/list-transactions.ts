import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, string } from '../schema/field-builders.ts';

/** Asks for transactions; empty filters let all pass. */
export interface ListTransactionsRequest {
  stateFilters: string[];
  producerIdFilters: number[];
  /** Only those that have been open for longer, in ms; -1: all. */
  durationFilter: number;
}

/** A transaction. */
export interface ListTransactionsResponseState {
  transactionalId: string;
  producerId: number;
  transactionState: string;
}

/** The transactions, and the state filters that the broker does not know. */
export interface ListTransactionsResponse {
  throttleTimeMs: number;
  errorCode: number;
  unknownStateFilters: string[];
  transactionStates: ListTransactionsResponseState[];
}

/** ListTransactions (66). */
export const listTransactionsApi: ApiDescription<
  ListTransactionsRequest,
  ListTransactionsResponse
> = defineApi<ListTransactionsRequest, ListTransactionsResponse>({
  key: 66,
  name: 'ListTransactions',
  versions: [0, 1],
  flexibleFrom: 0,
  request: {
    stateFilters: array(string()),
    producerIdFilters: array(int64()),
    durationFilter: int64({ from: 1, default: -1 }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    unknownStateFilters: array(string()),
    transactionStates: array(
      struct<ListTransactionsResponseState>({
        transactionalId: string(),
        producerId: int64(),
        transactionState: string(),
      }),
    ),
  },
});
