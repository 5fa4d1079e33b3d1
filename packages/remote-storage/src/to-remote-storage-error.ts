import {
  isRemoteStorageError,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type RemoteStorageErrorKind,
} from './errors.ts';

const KIND_BY_SYSTEM_CODE: ReadonlyMap<string, RemoteStorageErrorKind> = new Map([
  ['ENOENT', 'not-found'],
  ['ENOTDIR', 'not-found'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EROFS', 'denied'],
  ['ELOOP', 'denied'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EMFILE', 'throttled'],
  ['ENFILE', 'throttled'],
  ['EEXIST', 'precondition'],
  ['ENAMETOOLONG', 'invalid-configuration'],
  ['EINVAL', 'invalid-configuration'],
  ['ETIMEDOUT', 'timeout'],
  ['EAGAIN', 'unavailable'],
  ['EBUSY', 'unavailable'],
  ['EINTR', 'unavailable'],
  ['ECONNRESET', 'unavailable'],
  ['ECONNREFUSED', 'unavailable'],
  ['EPIPE', 'unavailable'],
]);

/** What was being done when something was thrown. */
export interface FailedAction {
  /** Words for the message, for example `Writing the object`. */
  readonly action: string;
  /** Key of the object concerned. */
  readonly key?: string | undefined;
}

/**
 * Makes a {@link RemoteStorageError} of whatever was thrown. Those pass through as they are; errors of
 * the operating system are sorted by their code (`ENOSPC` is `full`, and so on); all else is
 * `unavailable` and not worth a retry, since nothing is known of it.
 */
export function toRemoteStorageError(thrown: unknown, failed: FailedAction): RemoteStorageError {
  if (isRemoteStorageError(thrown)) return thrown;
  const code = systemCode(thrown);
  const kind = code === undefined ? undefined : KIND_BY_SYSTEM_CODE.get(code);
  const place = failed.key === undefined ? '' : ` ${JSON.stringify(failed.key)}`;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `${failed.action}${place} failed: ${reason}`;
  const options = { cause: thrown, key: failed.key };
  if (kind === 'not-found') return new RemoteResourceNotFoundError(message, options);
  if (kind !== undefined) return new RemoteStorageError(kind, message, options);
  return new RemoteStorageError('unavailable', message, { ...options, retryable: false });
}

function systemCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && 'code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
