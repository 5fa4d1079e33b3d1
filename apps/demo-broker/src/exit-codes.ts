/** What the exit code of the command says. */
export const EXIT_CODES = {
  /** Ended as it was asked to. */
  ok: 0,
  /** Something failed; the message says what. */
  failed: 1,
  /** The command line or the configuration is wrong; nothing was started. */
  usage: 2,
  /** The Kafka port or the HTTP port is taken. */
  portTaken: 3,
  /** A second Ctrl-C cut the clean end short, or a demo was interrupted. */
  interrupted: 130,
} as const;

/** One of {@link EXIT_CODES}. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
