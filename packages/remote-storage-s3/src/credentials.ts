/** Keys to a store. */
export interface StaticCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Gives the keys of the moment, and is asked before every request.
 *
 * @param options with `forceRefresh`, the store said that the keys of before have expired
 */
export type CredentialProvider = (options?: {
  readonly forceRefresh?: boolean | undefined;
}) => Promise<StaticCredentials>;
