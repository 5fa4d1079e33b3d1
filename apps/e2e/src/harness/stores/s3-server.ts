import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { createObjectStore } from '@logloft/remote-storage-s3';
import { startS3Stub } from '@logloft/stub-servers/s3';
import type { Cleanup } from '../cleanup.ts';
import { hasCommand } from '../run-command.ts';
import { startRadosgw } from './radosgw.ts';
import type { StoreServer } from './store-server.ts';

const BUCKET = 'loft';

/** An S3 server: Ceph's gateway where it is installed, else the stub. */
export async function startS3(cleanup: Cleanup): Promise<StoreServer> {
  const isThere = await hasCommand('radosgw', ['--version']);
  return isThere ? await startCeph(cleanup) : await startStub(cleanup);
}

/** The stub, whose failures can be told apart. */
export async function startS3StubServer(cleanup: Cleanup): Promise<StoreServer> {
  return await startStub(cleanup);
}

async function startCeph(cleanup: Cleanup): Promise<StoreServer> {
  const url = await startRadosgw(cleanup);
  const title = 'S3: radosgw of Ceph';
  const server = serverAt({ title, url, keyId: 'testkey', secret: 'testsecret' }, cleanup);
  await server.client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return server;
}

async function startStub(cleanup: Cleanup): Promise<StoreServer> {
  const [keyId, secret] = ['loft-key', 'loft-secret'];
  const credentials = [{ accessKeyId: keyId, secretAccessKey: secret }];
  const stub = await startS3Stub({ buckets: [BUCKET], credentials });
  cleanup.add(() => stub.close());
  return serverAt({ title: 'S3: the stub', url: stub.url, keyId, secret }, cleanup);
}

interface Place {
  readonly title: string;
  readonly url: string;
  readonly keyId: string;
  readonly secret: string;
}

function serverAt(
  { title, url, keyId, secret }: Place,
  cleanup: Cleanup,
): StoreServer & { readonly client: S3Client } {
  const client = new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  cleanup.add(() => client.destroy());
  return {
    client,
    flag: 's3',
    title,
    url,
    createObjectStore,
    optionsAt: (endpoint) => ({
      's3.bucket.name': BUCKET,
      's3.region': 'us-east-1',
      's3.endpoint.url': endpoint,
      's3.path.style.access.enabled': 'true',
      'aws.access.key.id': keyId,
      'aws.secret.access.key': secret,
    }),
    smallParts: {
      options: { 's3.multipart.upload.part.size': String(5 * 1024 * 1024) },
      bytes: 6 * 1024 * 1024,
    },
    unfinishedUploads: async () => {
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: BUCKET }),
      );
      return Uploads.length;
    },
  };
}
