import { type ApiDescription, defineApi } from '../schema/api.ts';
import { array, bool, int8, int16, int32, string, uuid } from '../schema/field-builders.ts';

/** Asks which metrics the broker wants (KIP-714). */
export interface GetTelemetrySubscriptionsRequest {
  /** The zero uuid: give me one. */
  clientInstanceId: string;
}

/** The metrics that the broker wants, and how often. */
export interface GetTelemetrySubscriptionsResponse {
  throttleTimeMs: number;
  errorCode: number;
  clientInstanceId: string;
  subscriptionId: number;
  acceptedCompressionTypes: number[];
  pushIntervalMs: number;
  telemetryMaxBytes: number;
  deltaTemporality: boolean;
  requestedMetrics: string[];
}

/** GetTelemetrySubscriptions (71). */
export const getTelemetrySubscriptionsApi: ApiDescription<
  GetTelemetrySubscriptionsRequest,
  GetTelemetrySubscriptionsResponse
> = defineApi<GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse>({
  key: 71,
  name: 'GetTelemetrySubscriptions',
  versions: [0, 0],
  flexibleFrom: 0,
  request: { clientInstanceId: uuid() },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    acceptedCompressionTypes: array(int8()),
    pushIntervalMs: int32(),
    telemetryMaxBytes: int32(),
    deltaTemporality: bool(),
    requestedMetrics: array(string()),
  },
});
