import type { ClientConnection } from '../network/connection.ts';

/**
 * The result of something that the client's going away aborts; then `undefined`, since nobody is left
 * to be answered.
 */
export async function unlessGone<T>(
  client: ClientConnection,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(client.gone);
  } catch (error) {
    if (client.gone.aborted) return undefined;
    throw error;
  }
}
