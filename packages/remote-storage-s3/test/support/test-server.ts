import { S3Client } from '@aws-sdk/client-s3';
import { startS3Stub } from '@logloft/stub-servers';
import { startRadosgw } from './radosgw.ts';
import { startVersitygw } from './versitygw.ts';

/** Keys to a server under test. */
export interface ServerKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A server that the suites run against. */
export interface TestServer {
  readonly name: string;
  readonly endpoint: string;
  readonly credentials: ServerKeys;
  /** Whether `If-None-Match: *` is honoured on writes, and also when an upload of parts is completed. */
  readonly conditionalWrites: boolean;
  /** Cases of the suites that the server itself cannot pass, each with the reason. */
  readonly limits?: ReadonlyMap<string, string> | undefined;
  stop(): Promise<void>;
}

const STARTERS: ReadonlyMap<string, () => Promise<TestServer>> = new Map([
  ['stub', startStub],
  ['rgw', startRadosgw],
  ['radosgw', startRadosgw],
  ['versitygw', startVersitygw],
]);

/**
 * Starts the server that `TEST_S3` names: `stub` (the default), `rgw` or `radosgw` for Ceph's gateway, `versitygw`.
 * One that is asked for and cannot be started is a failure, not a reason to skip.
 */
export async function startTestServer(): Promise<TestServer> {
  const wanted = process.env['TEST_S3'] ?? 'stub';
  const start = STARTERS.get(wanted);
  if (start === undefined) {
    throw new Error(`TEST_S3 is "${wanted}"; known: ${[...STARTERS.keys()].join(', ')}`);
  }
  return await start();
}

async function startStub(): Promise<TestServer> {
  const stub = await startS3Stub();
  return {
    name: 'stub',
    endpoint: stub.url,
    credentials: stub.credentials,
    conditionalWrites: true,
    stop: () => stub.close(),
  };
}

/** A plain client of the SDK, for what the adapter does not do: buckets, and looking behind its back. */
export function plainClient({ endpoint, credentials }: TestServer): S3Client {
  return new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
}
