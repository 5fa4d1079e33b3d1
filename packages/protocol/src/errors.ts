/**
 * What all errors of this package share: a stable `code` and, where the failure has a place inside a
 * message, the `path` of the field, such as `topicData[2].partitionData[0].records`.
 */
export abstract class ProtocolError extends Error {
  /** Stable identifier of the kind of failure; unlike the message it does not change. */
  abstract readonly code: string;
  readonly #reason: string;
  #path = '';

  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.#reason = reason;
  }

  /** The field in which the failure was found, from the message inwards; empty when it has none. */
  get path(): string {
    return this.#path;
  }

  /**
   * Puts `segment` before the path: each level of a message adds its own name while the error passes.
   *
   * @param segment a field name, an index such as `[3]`, or the name of the message
   */
  within(segment: string): this {
    const separator = this.#path === '' || this.#path.startsWith('[') ? '' : '.';
    this.#path = `${segment}${separator}${this.#path}`;
    this.message = `${this.#path}: ${this.#reason}`;
    return this;
  }
}

/**
 * Bytes that are not what the protocol says: cut short, a length or count that does not fit the
 * frame, null where null is not allowed, a number that ends nowhere. It says nothing about whether
 * the request makes sense. Kafka's answer to it is to close the connection.
 */
export class MalformedMessageError extends ProtocolError {
  override readonly name = 'MalformedMessageError';
  readonly code = 'LOGLOFT_PROTOCOL_MALFORMED';
}

/**
 * A value given to an encoder does not fit its field: a number outside the type's range, null for a
 * field that has no null in this version, a string too long for its length prefix, a text that is
 * not a uuid. It is a mistake of the calling code; nothing was sent.
 */
export class UnencodableValueError extends ProtocolError {
  override readonly name = 'UnencodableValueError';
  readonly code = 'LOGLOFT_PROTOCOL_UNENCODABLE';
}

/** A message was to be decoded or encoded in a version that this package does not describe. */
export class UnsupportedVersionError extends ProtocolError {
  override readonly name = 'UnsupportedVersionError';
  readonly code = 'LOGLOFT_PROTOCOL_UNSUPPORTED_VERSION';
}

/**
 * The four size bytes in front of a frame are negative or above the limit. The stream cannot be
 * read any further, so the connection has to be closed.
 */
export class FrameSizeError extends ProtocolError {
  override readonly name = 'FrameSizeError';
  readonly code = 'LOGLOFT_PROTOCOL_FRAME_SIZE';
  /** The size that was announced, in bytes. */
  readonly announcedBytes: number;

  constructor(reason: string, announcedBytes: number) {
    super(reason);
    this.announcedBytes = announcedBytes;
  }
}
