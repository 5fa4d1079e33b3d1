/** A user that a stub knows. */
export interface S3Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token that the requests of a temporary credential must carry. */
  readonly sessionToken?: string | undefined;
  /** Whether the credential has run out: its requests are answered with `ExpiredToken`. */
  readonly expired?: boolean | undefined;
  /**
   * Operations that this user may not do, as `['PutObject', 'ListObjectsV2']`: `AccessDenied`. Without
   * `ListObjectsV2` a missing object is answered with `AccessDenied`, too, as S3 does.
   */
  readonly deniedOperations?: readonly string[] | undefined;
}

// Not frozen: the AWS SDK writes notes of its own into the credentials it is given, and fails if it cannot.
/** The user that a stub knows when no other is given. */
export const DEFAULT_S3_CREDENTIAL: S3Credential = {
  accessKeyId: 'stub-access-key',
  secretAccessKey: 'stub-secret-key',
};
