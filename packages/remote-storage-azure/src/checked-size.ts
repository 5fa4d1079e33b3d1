import { RemoteStorageError } from '@logloft/remote-storage';

/**
 * The size of an object as the service tells it.
 *
 * @throws RemoteStorageError `corrupt` when it tells none, or none that can be
 */
export function checkedSize(told: number | undefined, key: string): number {
  if (told !== undefined && Number.isSafeInteger(told) && told >= 0) return told;
  throw new RemoteStorageError(
    'corrupt',
    `The service did not tell the size of the object ${JSON.stringify(key)}, but ${told}`,
    { key },
  );
}
