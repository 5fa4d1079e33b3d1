/**
 * The uuid of 16 zero bytes, which Kafka uses for "no id", in the text form of this package: URL-safe
 * base64 without padding, 22 characters, as Kafka's own tools print topic ids.
 */
export const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Length of a uuid's text form in characters. */
export const UUID_TEXT_LENGTH = 22;
