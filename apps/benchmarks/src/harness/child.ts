import { type ChildProcess, fork } from 'node:child_process';
import { atExit } from './cleanup.ts';
import type { CommandTable, Reply } from './command.ts';

const ENDING_MS = 5000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** How a child process is started. */
export interface ChildOptions {
  /** Compiled file of the peer, relative to `dist/peers`. */
  readonly file: string;
  readonly execArgv?: readonly string[] | undefined;
}

/** A server or a generator in a process of its own, told what to do by messages. */
export class Child<Commands extends CommandTable> {
  readonly #process: ChildProcess;
  readonly #file: string;
  readonly #forget: () => void;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor({ file, execArgv = [] }: ChildOptions) {
    this.#file = file;
    const path = new URL(`../peers/${file}`, import.meta.url);
    const child = fork(path, { execArgv: [...execArgv], serialization: 'advanced' });
    this.#process = child;
    this.#forget = atExit(() => {
      child.kill('SIGKILL');
    });
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    child.on('message', (reply) => this.#settle(reply as Reply));
    child.once('exit', (code, signal) => this.#onExit(code, signal));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Has the child do something and waits for its answer. Rejects when it fails or is gone. */
  call<Name extends keyof Commands & string>(
    name: Name,
    ...args: Parameters<Commands[Name]>
  ): Promise<Awaited<ReturnType<Commands[Name]>>> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // What the other side of the table returns, by its type.
      const fulfil = resolve as (value: unknown) => void;
      this.#waiting.set(id, { resolve: fulfil, reject });
      this.#process.send({ id, name, argument: args[0] }, (error) => {
        if (error !== null) this.#settle({ id, error: String(error) });
      });
    });
  }

  /** Lets the child end by itself, and kills it when it does not. Idempotent. */
  async end(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), ENDING_MS);
    await this.#exited;
    clearTimeout(timer);
    this.#forget();
  }

  /** Ends the child at once, as a crash would. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
    this.#forget();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply.result);
    else waiting?.reject(new Error(`${this.#file}: ${reply.error}`));
  }

  #onExit(code: number | null, signal: string | null): void {
    const error = new Error(`${this.#file} ended (${signal ?? `code ${code}`}) before it answered`);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
