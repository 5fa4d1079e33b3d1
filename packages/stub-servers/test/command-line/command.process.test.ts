import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const FLAGS = ['--experimental-strip-types', '--no-warnings', '--conditions=@logloft/source'];

class Command implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(...args: readonly string[]) {
    this.child = spawn(process.execPath, [...FLAGS, MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (piece: Buffer) => {
      this.stdout += piece.toString();
    });
    this.child.stderr?.on('data', (piece: Buffer) => {
      this.stderr += piece.toString();
    });
    this.#closed = once(this.child, 'close');
  }

  async firstLine(): Promise<string> {
    const { stdout } = this.child;
    if (stdout === null) throw new TypeError('stdout is a pipe');
    while (!this.stdout.includes('\n')) {
      await Promise.race([once(stdout, 'data'), this.#closed]);
      if (this.child.exitCode !== null) throw new Error(`ended early: ${this.stderr}`);
    }
    return this.stdout.slice(0, this.stdout.indexOf('\n'));
  }

  async ended(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#closed;
  }
}

test('s3 says where it is, serves, and ends on Ctrl-C', async () => {
  await using command = new Command(
    ...['s3', '--json', '--bucket', 'one', '--bucket', 'two', '--region', 'eu-west-1'],
    ...['--access-key', 'mine', '--secret-key', 'secret'],
  );
  const ready = JSON.parse(await command.firstLine()) as {
    event: string;
    url: string;
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
  };
  expect(ready).toMatchObject({ event: 'ready', service: 's3', accessKeyId: 'mine' });
  const client = new S3Client({
    endpoint: ready.url,
    region: ready.region,
    credentials: ready,
    forcePathStyle: true,
  });
  const { Buckets } = await client.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual(['one', 'two']);
  command.child.kill('SIGINT');
  expect(await command.ended()).toBe(0);
  client.destroy();
});

test('gcs says where it is, serves, and ends on SIGTERM', async () => {
  await using command = new Command('gcs', '--bucket', 'one');
  const line = await command.firstLine();
  expect(line).toMatch(/^gcs stub ready at http:\/\/127\.0\.0\.1:\d+ /);
  const url = /http:\S+/.exec(line)?.[0];
  const answer = await fetch(`${url}/storage/v1/b/one`);
  expect(await answer.json()).toMatchObject({ name: 'one' });
  command.child.kill('SIGTERM');
  expect(await command.ended()).toBe(0);
});

test('a port that is taken is an error with exit code 1', async () => {
  await using first = new Command('s3', '--json');
  const { url } = JSON.parse(await first.firstLine()) as { url: string };
  await using second = new Command('s3', '--port', new URL(url).port);
  expect(await second.ended()).toBe(1);
  expect(second.stderr).toContain('EADDRINUSE');
});
