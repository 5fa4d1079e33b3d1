/** What was being done, for the message of a failure. */
export interface CallFacts {
  /** In words, for example `Writing the object`. */
  readonly action: string;
  /** Key of the object concerned. */
  readonly key?: string | undefined;
  /** The permission that the call needs, for example `s3:PutObject`. */
  readonly permission: string;
  /** A setting that such a call depends on, for stores that do not know the feature. */
  readonly feature?: 'checksums' | 'conditional-writes' | 'batch-delete' | undefined;
}
