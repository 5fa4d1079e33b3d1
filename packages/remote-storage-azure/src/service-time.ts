import { isRemoteStorageError, RemoteStorageError } from '@logloft/remote-storage';
import type { BlobRequests } from './blob-requests.ts';
import { failureFacts } from './failure-facts.ts';

const ACTION = 'Asking for the time';

/**
 * Wall-clock ms at the service, to the second.
 *
 * @throws RemoteStorageError when there is no answer at all
 */
export async function serviceTime(
  requests: BlobRequests,
  signal: AbortSignal | undefined,
): Promise<number> {
  try {
    const { date } = await requests.run({ action: ACTION, signal }, (abortSignal) =>
      requests.container.getProperties({ abortSignal }),
    );
    if (date !== undefined) return date.getTime();
  } catch (error) {
    // A refusal tells the time as well.
    const cause = isRemoteStorageError(error) ? error.cause : undefined;
    const timeMs = dateOf(failureFacts(cause).date);
    if (timeMs === undefined) throw error;
    return timeMs;
  }
  throw new RemoteStorageError('corrupt', `${ACTION} failed: the answer has no date`);
}

function dateOf(text: string | undefined): number | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reads a date, does not ask for the time
  const timeMs = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
