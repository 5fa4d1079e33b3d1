import { describe, expect, test } from 'vitest';
import { routeOf } from '../../src/gcs/route.ts';
import type { RequestHead } from '../../src/http/request-head.ts';

function head(line: string, headers: Readonly<Record<string, string>> = {}): RequestHead {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  return { method, target, path, query, headers: new Map(Object.entries(headers)) };
}

describe('a request', () => {
  test.each([
    ['GET /storage/v1/b?project=p', 'buckets.list'],
    ['POST /storage/v1/b?project=p', 'buckets.insert'],
    ['GET /storage/v1/b/loft', 'buckets.get'],
    ['PATCH /storage/v1/b/loft', 'buckets.patch'],
    ['DELETE /storage/v1/b/loft', 'buckets.delete'],
    ['GET /storage/v1/b/loft/iam/testPermissions?permissions=x', 'buckets.testIamPermissions'],
    ['GET /storage/v1/b/loft/o', 'objects.list'],
    ['GET /storage/v1/b/loft/o/k', 'objects.get'],
    ['GET /storage/v1/b/loft/o/k?alt=media', 'objects.download'],
    ['GET /download/storage/v1/b/loft/o/k?alt=media', 'objects.download'],
    ['DELETE /storage/v1/b/loft/o/k', 'objects.delete'],
    ['PATCH /storage/v1/b/loft/o/k', 'objects.patch'],
    ['PUT /storage/v1/b/loft/o/k', 'objects.update'],
    ['POST /storage/v1/b/loft/o/k/compose', 'objects.compose'],
    ['POST /storage/v1/b/loft/o/k/rewriteTo/b/x/o/y', 'objects.rewrite'],
    ['POST /storage/v1/b/loft/o/k/copyTo/b/x/o/y', 'objects.copy'],
    ['POST /storage/v1/b/loft/o/k/moveTo/o/y', 'objects.move'],
    ['POST /upload/storage/v1/b/loft/o?uploadType=multipart&name=k', 'objects.insert'],
    ['POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k', 'uploads.open'],
    ['POST /resumable/upload/storage/v1/b/loft/o?uploadType=resumable', 'uploads.open'],
    ['PUT /upload/storage/v1/b/loft/o?upload_id=u', 'uploads.put'],
    ['DELETE /upload/storage/v1/b/loft/o?upload_id=u', 'uploads.cancel'],
    ['GET /b/loft/o', 'objects.list'],
    ['POST /token', 'token'],
    ['GET /', 'Unknown'],
    ['GET /token', 'Unknown'],
    ['GET /storage/v1/bucket', 'Unknown'],
    ['GET /storage/v1/b/loft/acl', 'Unknown'],
    ['GET /storage/v1/b/loft/o/k/acl', 'Unknown'],
    ['POST /storage/v1/b/loft/o/k/rewriteTo/b/x', 'Unknown'],
    ['GET /storage/v1/b/loft/o/%ff', 'Unknown'],
    ['GET /storage/v1/b/loft/o?prefix=%', 'Unknown'],
    ['DELETE /upload/storage/v1/b/loft/o?uploadType=media', 'Unknown'],
  ])('%s is %s', (line, operation) => {
    expect(routeOf(head(line)).operation).toBe(operation);
  });

  test('without bytes asks how far an upload got', () => {
    const line = 'PUT /upload/storage/v1/b/loft/o?upload_id=u';
    expect(routeOf(head(line, { 'content-range': 'bytes */*' })).operation).toBe('uploads.query');
    expect(routeOf(head(line, { 'content-range': 'bytes 0-1/2' })).operation).toBe('uploads.put');
  });

  test.each(['a//b', '..', 'a b', 'a+b', '100%', 'ключ/🔑', 'constructor', '__proto__', 'b/x/o/y'])(
    'names the object %j, and the target of a copy',
    (key) => {
      const encoded = encodeURIComponent(key);
      expect(routeOf(head(`GET /storage/v1/b/loft/o/${encoded}`))).toMatchObject({
        bucket: 'loft',
        key,
      });
      expect(routeOf(head(`GET /b/loft/o/${encoded}`))).toMatchObject({ bucket: 'loft', key });
      const upload = routeOf(
        head(`POST /upload/storage/v1/b/loft/o?uploadType=media&name=${encoded}`),
      );
      expect(upload).toMatchObject({ bucket: 'loft', key });
      const copy = routeOf(head(`POST /storage/v1/b/loft/o/s/rewriteTo/b/other/o/${encoded}`));
      expect(copy.target).toEqual({ bucket: 'other', key });
    },
  );

  test('takes the first of two parameters of one name', () => {
    const route = routeOf(head('GET /storage/v1/b/loft/o?prefix=a&prefix=b&__proto__=c'));
    expect([...route.query]).toEqual([
      ['prefix', 'a'],
      ['__proto__', 'c'],
    ]);
  });
});
