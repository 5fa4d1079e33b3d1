import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Storage } from '@google-cloud/storage';
import { startGcsStub } from '@logloft/stub-servers/gcs';

/** A server that speaks the store's protocol. */
export interface GcsServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** Makes a bucket that is nobody else's, and tells its name. */
  createBucket(): Promise<string>;
}

/** The server that `TEST_GCS` names: `stub` (default), or `fake-gcs-server`, whose binary is on the PATH. */
export async function startGcsServer(): Promise<GcsServer> {
  const wanted = process.env['TEST_GCS'] ?? 'stub';
  if (wanted === 'stub') return await startStub();
  if (wanted === 'fake-gcs-server') return await startFakeGcsServer(wanted);
  throw new Error(`TEST_GCS must be stub or fake-gcs-server, got ${wanted}`);
}

async function startStub(): Promise<GcsServer> {
  const stub = await startGcsStub();
  let buckets = 0;
  return {
    name: 'stub',
    url: stub.url,
    createBucket: async () => {
      buckets += 1;
      const bucket = `bucket-${buckets}`;
      stub.createBucket(bucket);
      return bucket;
    },
    [Symbol.asyncDispose]: () => stub.close(),
  };
}

async function startFakeGcsServer(binary: string): Promise<GcsServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const host = `127.0.0.1:${port}`;
  const child = spawn(
    binary,
    // biome-ignore format: pairs of a flag and its value
    ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory',
      '-public-host', host, '-external-url', url, '-log-level', 'error'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await untilAnswering(`${url}/storage/v1/b?project=p`, child);
  const client = new Storage({ apiEndpoint: url, projectId: 'p' });
  let buckets = 0;
  return {
    name: binary,
    url,
    createBucket: async () => {
      buckets += 1;
      const bucket = `bucket-${buckets}`;
      await client.createBucket(bucket);
      return bucket;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  await once(server, 'close');
  return port;
}

// The server says nothing when it is ready: it is, as soon as it answers.
async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
