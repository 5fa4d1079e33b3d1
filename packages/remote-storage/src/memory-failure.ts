import { isBufferPoolError } from '@logloft/bufferpool';
import { RemoteStorageError } from './errors.ts';

/**
 * Says in this package's words what a buffer pool refused. Whatever else was thrown, the reason of a
 * signal for example, is returned as it is.
 */
export function memoryFailure(thrown: unknown, action: string): unknown {
  if (!isBufferPoolError(thrown)) return thrown;
  const message = `${action} got no memory: ${thrown.message}`;
  const options = { cause: thrown };
  switch (thrown.kind) {
    case 'closed':
      return new RemoteStorageError('aborted', message, options);
    case 'too-large':
    case 'invalid-options':
    case 'invalid-size':
      return new RemoteStorageError('invalid-configuration', message, options);
    default:
      return new RemoteStorageError('unavailable', message, {
        ...options,
        retryable: thrown.retryable,
      });
  }
}
