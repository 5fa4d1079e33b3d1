import type { Storage } from '@google-cloud/storage';
import type { Clock } from '@logloft/clock';
import { withDeadline } from '@logloft/remote-storage';
import { type AuthHeaders, NO_AUTH } from './auth-headers.ts';
import { credentialsFailure } from './credentials-failure.ts';

/** How long credentials may take. */
export interface ClientAuthOptions {
  readonly clock: Clock;
  readonly tokenTimeoutMs: number;
}

/** The credentials of the SDK's client, whichever of the SDK's ways they come. */
export function clientAuth(client: Storage, options: ClientAuthOptions): AuthHeaders {
  // As the SDK does: an endpoint of one's own gets credentials only if that was asked for.
  if (client.customEndpoint && !client.useAuthWithCustomEndpoint) return NO_AUTH;
  return new ClientAuth(client, options);
}

class ClientAuth implements AuthHeaders {
  readonly #client: Storage;
  readonly #options: ClientAuthOptions;

  constructor(client: Storage, options: ClientAuthOptions) {
    this.#client = client;
    this.#options = options;
  }

  async headers(signal: AbortSignal | undefined): Promise<Readonly<Record<string, string>>> {
    const { authClient, apiEndpoint } = this.#client;
    return await this.#withDeadline(signal, async () =>
      Object.fromEntries(new Headers(await authClient.getRequestHeaders(apiEndpoint))),
    );
  }

  async renew(
    refused: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const before = refused['authorization'];
    // Another request may have been refused, and the token renewed, before.
    if ((await this.headers(signal))['authorization'] !== before) return true;
    await this.#withDeadline(signal, async () => {
      const auth = await this.#client.authClient.getClient();
      // The SDK fetches a new token only when it takes the present one for expired.
      auth.credentials = { ...auth.credentials, expiry_date: 1 };
    });
    return (await this.headers(signal))['authorization'] !== before;
  }

  // The SDK's own requests for tokens know neither signals nor limits of time.
  async #withDeadline<T>(signal: AbortSignal | undefined, operation: () => Promise<T>): Promise<T> {
    const { clock, tokenTimeoutMs } = this.#options;
    const action = 'Fetching Google credentials';
    return await withDeadline({ clock, ms: tokenTimeoutMs, action, signal }, async () => {
      try {
        return await operation();
      } catch (error) {
        throw credentialsFailure(error);
      }
    });
  }
}
