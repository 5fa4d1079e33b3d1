import { ProtocolError } from './protocol-error.ts';

/**
 * A value given to an encoder does not fit its field: a number outside the type's range, null for a
 * field that has no null in this version, a string too long for its length prefix, a text that is
 * not a uuid. It is a mistake of the calling code; nothing was sent.
 */
export class UnencodableValueError extends ProtocolError {
  override readonly name = 'UnencodableValueError';
  readonly code = 'LOGLOFT_PROTOCOL_UNENCODABLE';
}
