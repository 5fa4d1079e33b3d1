import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, float64, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type QuotaEntity, quotaEntity } from './shared-structs.ts';

/** A change of one quota. */
export interface AlterClientQuotasRequestOp {
  key: string;
  value: number;
  remove: boolean;
}

/** The changes for one entity. */
export interface AlterClientQuotasRequestEntry {
  entity: QuotaEntity[];
  ops: AlterClientQuotasRequestOp[];
}

/** Changes client quotas. */
export interface AlterClientQuotasRequest {
  entries: AlterClientQuotasRequestEntry[];
  validateOnly: boolean;
}

/** What happened to the quotas of one entity. */
export interface AlterClientQuotasResponseEntry {
  errorCode: number;
  errorMessage: string | null;
  entity: QuotaEntity[];
}

/** What happened to the quotas. */
export interface AlterClientQuotasResponse {
  throttleTimeMs: number;
  entries: AlterClientQuotasResponseEntry[];
}

/** AlterClientQuotas (49). */
export const alterClientQuotasApi: ApiDescription<
  AlterClientQuotasRequest,
  AlterClientQuotasResponse
> = defineApi<AlterClientQuotasRequest, AlterClientQuotasResponse>({
  key: 49,
  name: 'AlterClientQuotas',
  versions: [0, 1],
  flexibleFrom: 1,
  request: {
    entries: array(
      struct<AlterClientQuotasRequestEntry>({
        entity: array(quotaEntity),
        ops: array(
          struct<AlterClientQuotasRequestOp>({
            key: string(),
            value: float64(),
            remove: bool(),
          }),
        ),
      }),
    ),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    entries: array(
      struct<AlterClientQuotasResponseEntry>({
        errorCode: int16(),
        errorMessage: nullable(string()),
        entity: array(quotaEntity),
      }),
    ),
  },
});
