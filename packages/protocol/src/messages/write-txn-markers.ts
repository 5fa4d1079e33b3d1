import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, int64 } from '../schema/field-builders.ts';
import {
  type TopicPartitionIndexes,
  type TopicResult,
  topicPartitionIndexes,
  topicResult,
} from './shared-structs.ts';

/** The end of one producer's transaction. */
export interface WriteTxnMarkersRequestMarker {
  producerId: number;
  producerEpoch: number;
  /** True: committed. */
  transactionResult: boolean;
  topics: TopicPartitionIndexes[];
  coordinatorEpoch: number;
}

/** Has the ends of transactions written into logs; between brokers, and by tools. */
export interface WriteTxnMarkersRequest {
  markers: WriteTxnMarkersRequestMarker[];
}

/** What happened to the markers of one producer. */
export interface WriteTxnMarkersResponseMarker {
  producerId: number;
  topics: TopicResult[];
}

/** What happened to the markers. */
export interface WriteTxnMarkersResponse {
  markers: WriteTxnMarkersResponseMarker[];
}

/** WriteTxnMarkers (27). */
export const writeTxnMarkersApi: ApiDescription<WriteTxnMarkersRequest, WriteTxnMarkersResponse> =
  defineApi<WriteTxnMarkersRequest, WriteTxnMarkersResponse>({
    key: 27,
    name: 'WriteTxnMarkers',
    versions: [0, 1],
    flexibleFrom: 1,
    request: {
      markers: array(
        struct<WriteTxnMarkersRequestMarker>({
          producerId: int64(),
          producerEpoch: int16(),
          transactionResult: bool(),
          topics: array(topicPartitionIndexes),
          coordinatorEpoch: int32(),
        }),
      ),
    },
    response: {
      markers: array(
        struct<WriteTxnMarkersResponseMarker>({
          producerId: int64(),
          topics: array(topicResult),
        }),
      ),
    },
  });
