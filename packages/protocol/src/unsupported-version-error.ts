import { ProtocolError } from './protocol-error.ts';

/** A message was to be decoded or encoded in a version that this package does not describe. */
export class UnsupportedVersionError extends ProtocolError {
  override readonly name = 'UnsupportedVersionError';
  readonly code = 'LOGLOFT_PROTOCOL_UNSUPPORTED_VERSION';
}
