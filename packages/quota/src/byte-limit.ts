import { InvalidQuotaOptionError } from './errors.ts';

/** Kafka's greatest long, 2^63 - 1, which stands for "no limit" in its configuration. */
const KAFKA_UNLIMITED = '9223372036854775807';

/**
 * A bound on a rate: bytes per second from 0 to 2^63 - 2, or unlimited. It prints as Kafka prints
 * it, to the last digit, also beyond the safe integers.
 */
export class ByteLimit {
  /** No limit; printed as 9223372036854775807. */
  static readonly unlimited: ByteLimit = new ByteLimit(KAFKA_UNLIMITED);

  /** Bytes per second, for arithmetic. Rounded above 2^53; 2^63 when unlimited. */
  readonly bytesPerSecond: number;
  readonly #text: string;

  private constructor(text: string) {
    this.bytesPerSecond = Number(text);
    this.#text = text;
  }

  /** Whether there is no limit. */
  get isUnlimited(): boolean {
    return this.#text === KAFKA_UNLIMITED;
  }

  /**
   * @param bytesPerSecond an integer from 0 to 2^53 - 1, or Infinity for no limit
   * @throws InvalidQuotaOptionError for any other number
   */
  static of(bytesPerSecond: number): ByteLimit {
    if (bytesPerSecond === Number.POSITIVE_INFINITY) return ByteLimit.unlimited;
    if (Number.isSafeInteger(bytesPerSecond) && bytesPerSecond >= 0) {
      return new ByteLimit(String(Math.abs(bytesPerSecond)));
    }
    throw new InvalidQuotaOptionError(
      `A byte limit must be an integer from 0 to ${Number.MAX_SAFE_INTEGER} bytes per second, ` +
        `or Infinity for no limit, got ${bytesPerSecond}`,
    );
  }

  /**
   * Reads the value of a Kafka property: a decimal integer from 0 to 9223372036854775807, the latter
   * for no limit. Space around it is ignored.
   *
   * @throws InvalidQuotaOptionError for any other text
   */
  static parse(text: string): ByteLimit {
    const digits = /^\s*\+?0*(\d{1,19})\s*$/.exec(text)?.[1];
    if (digits === undefined || !isAtMost(digits, KAFKA_UNLIMITED)) {
      throw new InvalidQuotaOptionError(
        `A byte limit must be an integer from 0 to ${KAFKA_UNLIMITED} (no limit) bytes per second, ` +
          `got '${text.slice(0, 64)}'`,
      );
    }
    return new ByteLimit(digits);
  }

  /** Whether both are the same limit. */
  equals(other: ByteLimit): boolean {
    return this.#text === other.#text;
  }

  /** The limit as Kafka prints it: bytes per second in decimal. */
  toString(): string {
    return this.#text;
  }
}

/** Compares decimal numbers without leading zeros. */
function isAtMost(digits: string, greatest: string): boolean {
  return (
    digits.length < greatest.length || (digits.length === greatest.length && digits <= greatest)
  );
}
