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
