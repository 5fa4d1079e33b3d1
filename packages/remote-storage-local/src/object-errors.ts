import { RemoteResourceNotFoundError, RemoteStorageError } from '@logloft/remote-storage';

/** There is no such object. */
export function notFound(key: string, cause?: unknown): RemoteStorageError {
  const message = `There is no object ${JSON.stringify(key)}`;
  return new RemoteResourceNotFoundError(message, { key, cause });
}

/** There is such an object already, and it was not to be replaced. */
export function existsAlready(key: string, cause?: unknown): RemoteStorageError {
  const message = `The object ${JSON.stringify(key)} exists already`;
  return new RemoteStorageError('precondition', message, { key, cause });
}
