import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What the ready line of `--json` says. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly kafka: string;
  readonly http: string | null;
  readonly directory: string | null;
  readonly [name: string]: unknown;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command as a process of its own, with a directory for temporary files of its own. */
export class LogloftProcess implements AsyncDisposable {
  readonly temporary: string = mkdtempSync(join(tmpdir(), 'logloft.test-'));
  readonly child: ChildProcess;
  #stdout = '';
  #stderr = '';
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, TMPDIR: this.temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new TypeError('The streams are pipes');
    stdout.on('data', (data: Buffer) => {
      this.#stdout += data.toString();
    });
    stderr.on('data', (data: Buffer) => {
      this.#stderr += data.toString();
    });
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.#closed = once(this.child, 'close');
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The next line of stdout; fails when it ends first. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`ended early: ${this.#stdout}${this.#stderr}`);
    return value;
  }

  /** The first line, which `--json` makes the ready line. */
  async ready(): Promise<ReadyLine> {
    return JSON.parse(await this.line()) as ReadyLine;
  }

  /** Waits for the end of the process. */
  async ended(): Promise<Ended> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#closed;
    rmSync(this.temporary, { recursive: true, force: true });
  }
}
