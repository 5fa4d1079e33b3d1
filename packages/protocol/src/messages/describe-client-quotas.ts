import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  bool,
  float64,
  int8,
  int16,
  int32,
  nullable,
  string,
} from '../schema/field-builders.ts';
import { type QuotaEntity, quotaEntity } from './shared-structs.ts';

/** Which entities of one type are meant. */
export interface DescribeClientQuotasRequestComponent {
  entityType: string;
  /** 0: the name in `match`, 1: the default, 2: any with a name. */
  matchType: number;
  match: string | null;
}

/** Asks for client quotas. */
export interface DescribeClientQuotasRequest {
  components: DescribeClientQuotasRequestComponent[];
  /** True: only entities of exactly the types that were named. */
  strict: boolean;
}

/** A quota, such as `producer_byte_rate` in bytes per second. */
export interface DescribeClientQuotasResponseValue {
  key: string;
  value: number;
}

/** The quotas of one entity. */
export interface DescribeClientQuotasResponseEntry {
  entity: QuotaEntity[];
  values: DescribeClientQuotasResponseValue[];
}

/** The quotas. */
export interface DescribeClientQuotasResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  entries: DescribeClientQuotasResponseEntry[] | null;
}

/** DescribeClientQuotas (48). */
export const describeClientQuotasApi: ApiDescription<
  DescribeClientQuotasRequest,
  DescribeClientQuotasResponse
> = defineApi<DescribeClientQuotasRequest, DescribeClientQuotasResponse>({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: [0, 1],
  flexibleFrom: 1,
  request: {
    components: array(
      struct<DescribeClientQuotasRequestComponent>({
        entityType: string(),
        matchType: int8(),
        match: nullable(string()),
      }),
    ),
    strict: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullable(string()),
    entries: nullable(
      array(
        struct<DescribeClientQuotasResponseEntry>({
          entity: array(quotaEntity),
          values: array(
            struct<DescribeClientQuotasResponseValue>({ key: string(), value: float64() }),
          ),
        }),
      ),
    ),
  },
});
