import { GcsError } from './gcs-error.ts';

const MAX_OBJECT_NAME_BYTES = 1024;

/** @throws GcsError `required` or `invalid` for a name that the service does not take */
export function assertObjectName(name: string | undefined): asserts name is string {
  if (name === undefined || name === '') {
    throw new GcsError('required', 'Required parameter: name');
  }
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_OBJECT_NAME_BYTES) {
    throw new GcsError(
      'invalid',
      `The specified object name is not valid: it has ${bytes} bytes, at most ` +
        `${MAX_OBJECT_NAME_BYTES} are allowed.`,
    );
  }
  const forbidden =
    name === '.' ||
    name === '..' ||
    /[\r\n]/.test(name) ||
    name.startsWith('.well-known/acme-challenge/') ||
    !name.isWellFormed();
  if (forbidden) throw new GcsError('invalid', 'The specified object name is not valid.');
}

/** @throws GcsError `invalid` for a name that the service does not take */
export function assertBucketName(name: string): void {
  const valid =
    name.length <= 222 &&
    /^[a-z0-9][a-z0-9._-]*[a-z0-9]$/.test(name) &&
    name.split('.').every((part) => part.length >= 1 && part.length <= 63) &&
    name.length >= 3;
  if (!valid) throw new GcsError('invalid', `Invalid bucket name: ${JSON.stringify(name)}`);
}
