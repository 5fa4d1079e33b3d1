import type { LabPolicy } from '@logloft/quota/lab';

/** What `logloft quota-lab` is told. */
export interface QuotaLabCommand {
  readonly kind: 'quota-lab';
  /** Bytes that wait to be copied when tiering is turned on. */
  readonly backlogBytes: number;
  /** The write quota, in bytes per second. */
  readonly limitBytesPerSecond: number;
  /** What producers add, in bytes per second; 0 for nothing. */
  readonly ingestBytesPerSecond: number;
  readonly segmentBytes: number;
  /** How many copies may run at a time. */
  readonly writers: number;
  /** `remote.log.manager.write.quota.window.num`. */
  readonly windowNum: number;
  /** `remote.log.manager.write.quota.window.size.seconds`. */
  readonly windowSeconds: number;
  /** Which policies to compare, in this order. */
  readonly policies: readonly LabPolicy[];
  /** Where the image goes; `undefined` for none. */
  readonly svgFile: string | undefined;
  readonly json: boolean;
}
