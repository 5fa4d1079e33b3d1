import type { MetricTags } from '@logloft/metrics';

/** Where the rate of a quota is found among the metrics. */
export interface QuotaName {
  /** Name of the sensor; one quota each. */
  readonly sensor: string;
  /** Group of the metric `byte-rate`. */
  readonly group: string;
  readonly description: string;
  /** Tags of the metric. Default: none. */
  readonly tags?: MetricTags | undefined;
}

/** Kafka's names for the rate of copying to remote storage (the write quota of KIP-956). */
export const COPY_QUOTA_NAME: QuotaName = {
  sensor: 'RLMCopy',
  group: 'RLMCopy',
  description: 'Tracking copy byte-rate for Remote Log Manager',
};

/** Kafka's names for the rate of fetching from remote storage (the read quota of KIP-956). */
export const FETCH_QUOTA_NAME: QuotaName = {
  sensor: 'RLMFetch',
  group: 'RLMFetch',
  description: 'Tracking fetch byte-rate for Remote Log Manager',
};
