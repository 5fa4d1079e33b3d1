import { Agent } from 'node:http';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type S3Stub, type S3StubOptions, startS3Stub } from '../../../src/s3/index.ts';

/** The bucket of most tests. */
export const BUCKET = 'loft';

// The SDK warns on the console of streams that it cannot repeat, which is what some tests are about.
const silent = (): void => undefined;
const QUIET = { debug: silent, info: silent, warn: silent, error: silent };

/** The real client, pointed at a stub. It repeats nothing, so that tests see each answer. */
export function clientOf(stub: S3Stub, config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: stub.url,
    region: stub.region,
    forcePathStyle: true,
    credentials: stub.credentials,
    maxAttempts: 1,
    logger: QUIET,
    ...config,
  });
}

/** A stub with one bucket, and a client; both end with the test that disposes of them. */
export interface StubAndClient extends AsyncDisposable {
  readonly stub: S3Stub;
  readonly client: S3Client;
}

/** Starts a stub and a client of its first user. */
export async function startPair(
  options: S3StubOptions = {},
  config: S3ClientConfig = {},
): Promise<StubAndClient> {
  const stub = await startS3Stub({ buckets: [BUCKET], ...options });
  const client = clientOf(stub, config);
  return {
    stub,
    client,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await stub.close();
    },
  };
}

/** What a failed call says: the status and the SDK's name for it. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { name, $metadata, code } = error as {
      name: string;
      code?: string;
      $metadata?: { httpStatusCode?: number };
    };
    return [$metadata?.httpStatusCode, code ?? name].filter((part) => part !== undefined).join(' ');
  }
  return 'succeeded';
}

/** An agent under which `<bucket>.localhost` is this machine, whatever the resolver says. */
export function localhostAgent(): Agent {
  return new Agent({
    keepAlive: false,
    lookup: (_hostname, options, callback) => {
      if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    },
  });
}
