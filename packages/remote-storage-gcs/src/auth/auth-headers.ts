/** Where the credentials of requests come from. */
export interface AuthHeaders {
  /**
   * The headers that a request needs; none where there are no credentials.
   *
   * @throws RemoteStorageError by kind when credentials cannot be had; the reason of the signal
   */
  headers(signal: AbortSignal | undefined): Promise<Readonly<Record<string, string>>>;

  /**
   * The store refused these headers. Fetches others.
   *
   * @returns whether a second try may go better
   */
  renew(
    refused: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<boolean>;
}

/** Requests without credentials, for emulators and public buckets. */
export const NO_AUTH: AuthHeaders = Object.freeze({
  headers: async () => ({}),
  renew: async () => false,
});

/** Always the same access token, which somebody else has made. */
export function fixedToken(token: string): AuthHeaders {
  const headers = Object.freeze({ authorization: `Bearer ${token}` });
  return { headers: async () => headers, renew: async () => false };
}
