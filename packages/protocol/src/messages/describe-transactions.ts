import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, string } from '../schema/field-builders.ts';
import { type NamedTopicPartitions, namedTopicPartitions } from './shared-structs.ts';

/** Asks about transactions. */
export interface DescribeTransactionsRequest {
  transactionalIds: string[];
}

/** A transaction and its partitions. */
export interface DescribeTransactionsResponseState {
  errorCode: number;
  transactionalId: string;
  transactionState: string;
  transactionTimeoutMs: number;
  /** When it began, in ms, or -1 when none is open. */
  transactionStartTimeMs: number;
  producerId: number;
  producerEpoch: number;
  topics: NamedTopicPartitions[];
}

/** The transactions. */
export interface DescribeTransactionsResponse {
  throttleTimeMs: number;
  transactionStates: DescribeTransactionsResponseState[];
}

/** DescribeTransactions (65). */
export const describeTransactionsApi: ApiDescription<
  DescribeTransactionsRequest,
  DescribeTransactionsResponse
> = defineApi<DescribeTransactionsRequest, DescribeTransactionsResponse>({
  key: 65,
  name: 'DescribeTransactions',
  versions: [0, 0],
  flexibleFrom: 0,
  request: { transactionalIds: array(string()) },
  response: {
    throttleTimeMs: int32(),
    transactionStates: array(
      struct<DescribeTransactionsResponseState>({
        errorCode: int16(),
        transactionalId: string(),
        transactionState: string(),
        transactionTimeoutMs: int32(),
        transactionStartTimeMs: int64(),
        producerId: int64(),
        producerEpoch: int16(),
        topics: array(namedTopicPartitions),
      }),
    ),
  },
});
