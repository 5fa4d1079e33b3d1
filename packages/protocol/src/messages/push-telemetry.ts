import { type ApiDescription, defineApi } from '../schema/api.ts';
import { bool, bytes, int8, int16, int32, uuid } from '../schema/field-builders.ts';

/** Brings metrics of a client (KIP-714). */
export interface PushTelemetryRequest {
  clientInstanceId: string;
  subscriptionId: number;
  terminating: boolean;
  compressionType: number;
  metrics: Buffer;
}

/** What happened to the metrics. */
export interface PushTelemetryResponse {
  throttleTimeMs: number;
  errorCode: number;
}

/** PushTelemetry (72). */
export const pushTelemetryApi: ApiDescription<PushTelemetryRequest, PushTelemetryResponse> =
  defineApi<PushTelemetryRequest, PushTelemetryResponse>({
    key: 72,
    name: 'PushTelemetry',
    versions: [0, 0],
    flexibleFrom: 0,
    request: {
      clientInstanceId: uuid(),
      subscriptionId: int32(),
      terminating: bool(),
      compressionType: int8(),
      metrics: bytes(),
    },
    response: { throttleTimeMs: int32(), errorCode: int16() },
  });
