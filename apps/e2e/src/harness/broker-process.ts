import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cleanup } from './cleanup.ts';
import { freePort } from './free-port.ts';

const READY_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 20_000;
const MAX_KEPT_LINES = 2000;

/** How a broker is started. */
export interface BrokerSettings {
  /** Logs go to `log`, the local store to `remote` below it. */
  readonly dataDirectory: string;
  /** Kafka's broker properties. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  /** As the command's flag; default its own, the local store. */
  readonly remoteStorage?: string | undefined;
  /** Default: a free one, kept over restarts. */
  readonly port?: number | undefined;
}

/** A log line of the broker. */
export interface BrokerLogLine {
  readonly time: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A broker in a process of its own: the `logloft` command, as anybody would start it. */
export class BrokerProcess {
  readonly dataDirectory: string;
  readonly port: number;
  readonly #settings: BrokerSettings;
  #properties: Readonly<Record<string, string>>;
  #running: RunningProcess | undefined;
  readonly #log: BrokerLogLine[] = [];

  private constructor(settings: BrokerSettings, port: number) {
    this.#settings = settings;
    this.#properties = settings.properties ?? {};
    this.dataDirectory = settings.dataDirectory;
    this.port = port;
  }

  /**
   * Starts one, and waits until it serves.
   *
   * @throws Error with what it wrote, when it does not
   */
  static async start(settings: BrokerSettings, cleanup: Cleanup): Promise<BrokerProcess> {
    const broker = new BrokerProcess(settings, settings.port ?? (await freePort()));
    cleanup.add(async () => {
      await broker.kill();
    });
    await broker.#start();
    return broker;
  }

  /** `host:port`. */
  get bootstrap(): string {
    return `127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#present.child.pid ?? -1;
  }

  /** The first line of its output: what runs where. */
  get ready(): Readonly<Record<string, unknown>> {
    return this.#present.ready;
  }

  /** Its log lines, over restarts; the last 2,000. */
  get log(): readonly BrokerLogLine[] {
    return this.#log;
  }

  /** Where the files of a partition are. */
  partitionDirectory(topic: string, partition: number): string {
    return join(this.dataDirectory, 'log', `${topic}-${partition}`);
  }

  /** Ends it as a crash would, or by another signal. Does nothing when it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<ProcessEnd | undefined> {
    const running = this.#running;
    if (running === undefined) return undefined;
    running.child.kill(signal);
    const end = await within(running.ended, STOP_DEADLINE_MS, `the end after ${signal}`);
    this.#running = undefined;
    return end;
  }

  /**
   * Ends it cleanly.
   *
   * @throws Error when it does not end by itself with exit code 0
   */
  async stop(): Promise<void> {
    const { stderr } = this.#present;
    const end = await this.kill('SIGTERM');
    if (end?.code === 0) return;
    throw new Error(`the broker ended with ${JSON.stringify(end)}\n${stderr.join('\n')}`);
  }

  /** Starts it again after its end, on the same directory and port. @returns ms until it served */
  async restart(
    changes: { readonly properties?: Readonly<Record<string, string>> } = {},
  ): Promise<number> {
    this.#properties = changes.properties ?? this.#properties;
    const startedMs = performance.now();
    await this.#start();
    return performance.now() - startedMs;
  }

  get #present(): RunningProcess {
    if (this.#running === undefined) throw new Error('the broker is not running');
    return this.#running;
  }

  async #start(): Promise<void> {
    if (this.#running !== undefined) throw new Error('the broker is running already');
    const child = spawn(process.execPath, [commandPath(), ...this.#arguments()], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environmentWithoutSettings(),
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<Ready>();
    const { promise: ended, resolve: end } = Promise.withResolvers<ProcessEnd>();
    const stderr: string[] = [];
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      end({ code, signal });
      reject(new Error(`the broker ended with ${code ?? signal}\n${stderr.join('\n')}`));
    });
    readLines(child.stderr, (line) => {
      keep(stderr, line);
    });
    readLines(child.stdout, (line) => {
      const event = parseEvent(line);
      if (event?.['event'] === 'ready') resolve(event);
      if (event?.['event'] === 'log') keep(this.#log, event as unknown as BrokerLogLine);
    });
    const running = { child, ended, stderr, ready: {} };
    this.#running = running;
    try {
      running.ready = await within(ready, READY_DEADLINE_MS, 'the broker to be ready');
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  #arguments(): string[] {
    const { dataDirectory, remoteStorage } = this.#settings;
    const properties = Object.entries(this.#properties);
    return [
      ...['start', '--json', '--http', 'off', '--port', String(this.port)],
      ...['--data', dataDirectory],
      ...(remoteStorage === undefined ? [] : ['--remote-storage', remoteStorage]),
      ...properties.flatMap(([name, value]) => ['--set', `${name}=${value}`]),
    ];
  }
}

type Ready = Readonly<Record<string, unknown>>;

interface RunningProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessEnd>;
  readonly stderr: readonly string[];
  ready: Ready;
}

/** The file that `logloft` runs. */
function commandPath(): string {
  const manifest = createRequire(import.meta.url).resolve('logloft/package.json');
  return join(dirname(manifest), 'dist/main.js');
}

/** Properties in the environment of whoever runs the checks are not meant for them. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('LOGLOFT_')));
}

function readLines(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', take);
}

function keep<T>(lines: T[], line: T): void {
  lines.push(line);
  if (lines.length > MAX_KEPT_LINES) lines.shift();
}

function parseEvent(line: string): Ready | undefined {
  try {
    return JSON.parse(line) as Ready;
  } catch {
    return undefined;
  }
}

async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
