import { expect, test } from 'vitest';
import { routeRequest } from '../../src/s3/route-request.ts';

function route(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const found = routeRequest({
    method,
    target,
    path,
    query,
    headers: new Map(Object.entries({ host: '127.0.0.1:9000', ...headers })),
  });
  return `${found.operation} ${found.bucket ?? '-'} ${found.key ?? '-'}`;
}

test.each([
  ['GET /', 'ListBuckets - -'],
  ['PUT /b', 'CreateBucket b -'],
  ['PUT /b/', 'CreateBucket b -'],
  ['HEAD /b', 'HeadBucket b -'],
  ['DELETE /b', 'DeleteBucket b -'],
  ['GET /b', 'ListObjects b -'],
  ['GET /b?list-type=2&prefix=x', 'ListObjectsV2 b -'],
  ['GET /b?uploads', 'ListMultipartUploads b -'],
  ['GET /b?location', 'GetBucketLocation b -'],
  ['GET /b?versioning', 'GetBucketVersioning b -'],
  ['POST /b?delete', 'DeleteObjects b -'],
  ['PUT /b/k', 'PutObject b k'],
  ['PUT /b/k?x-id=PutObject', 'PutObject b k'],
  ['GET /b/k?partNumber=1', 'GetObject b k'],
  ['HEAD /b/k', 'HeadObject b k'],
  ['DELETE /b/k', 'DeleteObject b k'],
  ['POST /b/k?uploads', 'CreateMultipartUpload b k'],
  ['PUT /b/k?partNumber=1&uploadId=u', 'UploadPart b k'],
  ['POST /b/k?uploadId=u', 'CompleteMultipartUpload b k'],
  ['DELETE /b/k?uploadId=u', 'AbortMultipartUpload b k'],
  ['GET /b/k?uploadId=u', 'ListParts b k'],
  ['GET /b/a%2Fb//c/../d', 'GetObject b a/b//c/../d'],
  ['GET /b//lead', 'GetObject b /lead'],
  ['GET /b/%E2%82%AC', 'GetObject b €'],
  ['POST /b/k', 'Unknown b k'],
  ['GET /b?acl', 'Unknown b -'],
  ['PUT /b/k?tagging', 'Unknown b k'],
  ['GET /b?versions', 'Unknown b -'],
  ['PATCH /b/k', 'Unknown b k'],
])('%s is %s', (line, expected) => {
  expect(route(line)).toBe(expected);
});

test('a copy is told by its header', () => {
  const headers = { 'x-amz-copy-source': 'b/from' };
  expect(route('PUT /b/k', headers)).toBe('CopyObject b k');
  expect(route('PUT /b/k?partNumber=1&uploadId=u', headers)).toBe('UploadPartCopy b k');
});

test('a host below localhost is a bucket, localhost itself and addresses are not', () => {
  expect(route('GET /k', { host: 'b.localhost:9000' })).toBe('GetObject b k');
  expect(route('GET /k/l', { host: 'b.s3.localhost' })).toBe('GetObject b k/l');
  expect(route('GET /', { host: 'B.localhost' })).toBe('ListObjects b -');
  expect(route('GET /b/k', { host: 's3.localhost:9000' })).toBe('GetObject b k');
  expect(route('GET /b/k', { host: 'localhost' })).toBe('GetObject b k');
  expect(route('GET /b/k', { host: '' })).toBe('GetObject b k');
});
