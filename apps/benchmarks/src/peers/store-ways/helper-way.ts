import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { Storage } from '@google-cloud/storage';
import { drain, type StorePlace, type StoreWay } from './store-way.ts';

const KEY = 'helper/segment.log';

/** What each SDK offers for large objects, with its defaults. */
export function openHelperWay({ dialect, port }: StorePlace): StoreWay {
  const endpoint = `http://127.0.0.1:${port}`;
  switch (dialect) {
    case 's3':
      return uploadHelper(endpoint);
    case 'gcs':
      return bucketUpload(endpoint);
    case 'azure':
      return uploadStream(endpoint);
  }
}

function uploadHelper(endpoint: string): StoreWay {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  const target = { Bucket: 'bucket', Key: KEY };
  return {
    copy: async (file, bytes) => {
      const Body = createReadStream(file, { end: bytes - 1 });
      await new Upload({ client, params: { ...target, Body } }).done();
    },
    read: async (bytes) => {
      const { Body } = await client.send(new GetObjectCommand(target));
      // In Node the body is a Readable.
      await drain(Body as unknown as AsyncIterable<Uint8Array>, bytes);
    },
    close: async () => client.destroy(),
  };
}

function bucketUpload(endpoint: string): StoreWay {
  const bucket = new Storage({ apiEndpoint: endpoint, projectId: 'p' }).bucket('bucket');
  return {
    copy: async (file) => {
      await bucket.upload(file, { destination: KEY });
    },
    read: async (bytes) => {
      await drain(bucket.file(KEY).createReadStream({ validation: false }), bytes);
    },
    close: async () => undefined,
  };
}

function uploadStream(endpoint: string): StoreWay {
  const key = Buffer.alloc(64, 1).toString('base64');
  const credential = new StorageSharedKeyCredential('devstoreaccount1', key);
  const service = new BlobServiceClient(`${endpoint}/devstoreaccount1`, credential);
  const blob = service.getContainerClient('container').getBlockBlobClient(KEY);
  return {
    copy: async (file, bytes) => {
      await blob.uploadStream(createReadStream(file, { end: bytes - 1 }));
    },
    read: async (bytes) => {
      const { readableStreamBody } = await blob.download();
      if (readableStreamBody === undefined) throw new Error('no body');
      await pipeline(readableStreamBody, (pieces) =>
        drain(pieces as AsyncIterable<Uint8Array>, bytes),
      );
    },
    close: async () => undefined,
  };
}
