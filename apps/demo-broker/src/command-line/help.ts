import { FLAGS, type Flag, type FlaggedCommand } from './flags.ts';

const INTRODUCTION = `logloft: a Kafka-protocol broker with tiered storage

Usage
  logloft [start] [flags]    start a broker on 127.0.0.1:9092
  logloft demo [flags]       watch data move to the remote tier and come back
  logloft doctor [flags]     try out what tiering needs of a remote store, and say what to change
  logloft quota-lab [flags]  see what a write quota would do to a backlog, on simulated time
  logloft help | version
`;

const CLOSING = `Properties as environment variables: LOGLOFT_ and the name in upper case, with . as _,
_ as __ and - as ___: LOGLOFT_LOG_SEGMENT_BYTES=1048576.

Exit codes
  0    ended as asked           1    failed; the message says why
  2    wrong command line or configuration
  3    the port is taken        130  interrupted, or forced by a second Ctrl-C
`;

/** The text of `logloft help`. */
export function helpText(): string {
  return [
    INTRODUCTION,
    `Flags of start\n${flagLines('start')}\n`,
    `Flags of demo\n${flagLines('demo')}\n`,
    `Flags of doctor\n${flagLines('doctor')}\n`,
    `Flags of quota-lab\n${flagLines('quota-lab')}\n`,
    CLOSING,
  ].join('\n');
}

function flagLines(command: FlaggedCommand): string {
  const flags = FLAGS.filter((flag) => flag.commands.includes(command));
  return flags.map(flagLine).join('\n');
}

function flagLine(flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const head = `  ${short}--${flag.name}${printValue(flag)}`.padEnd(31);
  return flag.text.map((line, index) => `${index === 0 ? head : ' '.repeat(31)}${line}`).join('\n');
}

function printValue({ value, valueIsOptional }: Flag): string {
  if (value === undefined) return '';
  return valueIsOptional === true ? `[=${value}]` : ` ${value}`;
}
