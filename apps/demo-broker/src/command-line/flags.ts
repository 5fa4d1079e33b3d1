/** Commands that take flags. */
export type FlaggedCommand = 'start' | 'demo' | 'quota-lab' | 'doctor';

/** One flag of the command line. */
export interface Flag {
  /** Without the leading dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  /** What stands for its value in the help; `undefined` for a flag without one. */
  readonly value?: string | undefined;
  /** Whether the value may be left out; it is then given as `--name=value` only. */
  readonly valueIsOptional?: boolean | undefined;
  readonly repeatable?: boolean | undefined;
  readonly commands: readonly FlaggedCommand[];
  /** For the help, a line or a few. */
  readonly text: readonly string[];
}

/** All flags, in the order of the help. */
export const FLAGS: readonly Flag[] = [
  {
    name: 'port',
    short: 'p',
    value: 'PORT',
    commands: ['start'],
    text: ['Kafka port. Taken: an error; 0 picks a free one. Default 9092.'],
  },
  {
    name: 'host',
    value: 'HOST',
    commands: ['start'],
    text: ['Interface to listen on. Default 127.0.0.1: this machine alone.'],
  },
  {
    name: 'advertised',
    value: 'HOST[:PORT]',
    commands: ['start'],
    text: ['Where clients are told to connect. Default: host and port.'],
  },
  {
    name: 'data',
    short: 'd',
    value: 'DIR',
    commands: ['start', 'doctor'],
    text: [
      'Keep everything: DIR/log and DIR/remote. Default: a temporary',
      'directory, gone at exit.',
    ],
  },
  {
    name: 'memory',
    value: 'SIZE',
    valueIsOptional: true,
    commands: ['start'],
    text: [
      'Keep logs and remote tier in memory, at most SIZE each, and write',
      'nothing to disk. Default SIZE 512MiB.',
    ],
  },
  {
    name: 'remote-storage',
    value: 'STORE',
    commands: ['start', 'demo', 'doctor'],
    text: [
      'local, memory, s3, gcs, azure, none, or the package name or path of',
      'a plugin. Default local; memory with --memory.',
    ],
  },
  {
    name: 'config',
    short: 'c',
    value: 'FILE',
    commands: ['start', 'demo', 'doctor'],
    text: ['A server.properties file.'],
  },
  {
    name: 'set',
    short: 's',
    value: 'KEY=VALUE',
    repeatable: true,
    commands: ['start', 'demo', 'doctor'],
    text: ['A broker property; wins over environment and file. Repeatable.'],
  },
  {
    name: 'http',
    value: 'off|HOST:PORT',
    commands: ['start'],
    text: ['/healthz, /readyz and /metrics. Default 127.0.0.1:9464.'],
  },
  {
    name: 'input',
    short: 'i',
    value: 'PATH',
    commands: ['demo'],
    text: ['File or directory to send. Default: text files of the installed', 'dependencies.'],
  },
  {
    name: 'size',
    value: 'SIZE',
    commands: ['demo', 'doctor'],
    text: [
      'How many bytes to send at most: 16MiB by default; of doctor the large',
      'object that is written and read, 20MiB.',
    ],
  },
  {
    name: 'backlog',
    value: 'SIZE',
    commands: ['quota-lab'],
    text: ['What waits to be copied when tiering is turned on. Default 10GiB.'],
  },
  {
    name: 'limit',
    value: 'RATE',
    commands: ['quota-lab'],
    text: ['The write quota, such as 50MiB/s, the default.'],
  },
  {
    name: 'ingest',
    value: 'RATE',
    commands: ['quota-lab'],
    text: ['What producers add meanwhile. Default 0.'],
  },
  {
    name: 'segment',
    value: 'SIZE',
    commands: ['quota-lab'],
    text: ['Bytes of a segment. Default 1GiB.'],
  },
  {
    name: 'writers',
    value: 'N',
    commands: ['quota-lab'],
    text: ['How many copies may run at a time, up to 100. Default 10.'],
  },
  {
    name: 'window-num',
    value: 'N',
    commands: ['quota-lab'],
    text: ['Samples of the window of the quota. Default 61.'],
  },
  {
    name: 'window-seconds',
    value: 'N',
    commands: ['quota-lab'],
    text: ['Seconds of each sample. Default 1.'],
  },
  {
    name: 'policy',
    value: 'POLICY',
    commands: ['quota-lab'],
    text: ['none, abort, wait, pace, some of them with commas, or all, the', 'default.'],
  },
  {
    name: 'svg',
    value: 'FILE',
    commands: ['quota-lab'],
    text: ['Draw the charts into this file, too.'],
  },
  {
    name: 'json',
    commands: ['start', 'quota-lab', 'doctor'],
    text: ['JSON on stdout; of start an object a line: ready, then log lines.'],
  },
  {
    name: 'quiet',
    short: 'q',
    commands: ['start'],
    text: ['No banner, and errors only.'],
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    commands: ['start', 'demo', 'doctor'],
    text: ['debug, info, warn or error. Default warn; info with --json.'],
  },
  {
    name: 'help',
    short: 'h',
    commands: ['start', 'demo', 'quota-lab', 'doctor'],
    text: ['Show this.'],
  },
  {
    name: 'version',
    short: 'v',
    commands: ['start', 'demo', 'quota-lab', 'doctor'],
    text: ['Show the version.'],
  },
];
