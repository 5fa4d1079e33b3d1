import { ProtocolError } from './protocol-error.ts';

/**
 * Bytes that are not what the protocol says: cut short, a length or count that does not fit the
 * frame, null where null is not allowed, a number that ends nowhere. It says nothing about whether
 * the request makes sense. Kafka's answer to it is to close the connection.
 */
export class MalformedMessageError extends ProtocolError {
  override readonly name = 'MalformedMessageError';
  readonly code = 'LOGLOFT_PROTOCOL_MALFORMED';
}
