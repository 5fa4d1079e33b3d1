import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ManualClock, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, failureOf } from './support/client.ts';
import { rawRequest, reasonIn } from './support/raw-request.ts';

const data = seededRandom(1).fill(Buffer.alloc(300_001));

async function start(): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'] });
}

describe('an object', () => {
  test('comes back as it was written, checked by the client from end to end', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('a/b');
    await file.save(data, {
      resumable: false,
      contentType: 'x/y',
      metadata: { cacheControl: 'no-store', metadata: { colour: 'blue', ['__proto__']: 'ü' } },
    });
    // Both read the whole, and compare it with x-goog-hash.
    expect((await file.download({ validation: 'crc32c' }))[0].equals(data)).toBe(true);
    expect((await file.download({ validation: 'md5' }))[0].equals(data)).toBe(true);
    const [resource] = await file.getMetadata();
    expect(resource).toMatchObject({
      kind: 'storage#object',
      name: 'a/b',
      bucket: 'loft',
      size: String(data.length),
      contentType: 'x/y',
      cacheControl: 'no-store',
      metageneration: '1',
      md5Hash: createHash('md5').update(data).digest('base64'),
      storageClass: 'STANDARD',
    });
    expect(resource.metadata?.['colour']).toBe('blue');
    const [stored] = stub.objects('loft');
    expect(stored).toMatchObject({ key: 'a/b', size: data.length, contentType: 'x/y' });
    expect(stored?.bytes().equals(data)).toBe(true);
    expect(stored?.metadata.get('__proto__')).toBe('ü');
  });

  test('of no bytes is an object', async () => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    await bucket.file('one').save('', { resumable: false });
    await bucket.file('two').save('', { resumable: true });
    await bucket.file('three').save('', { resumable: true, chunkSize: 256 * 1024 });
    for (const key of ['one', 'two', 'three']) {
      expect((await bucket.file(key).download())[0]).toHaveLength(0);
    }
    expect(stub.objects('loft').map(({ size, crc32c }) => [size, crc32c])).toEqual(
      Array.from({ length: 3 }, () => [0, 'AAAAAA==']),
    );
  });

  test('is read in ranges', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save(data, { resumable: false });
    const ranges = [
      [{ start: 0, end: 0 }, data.subarray(0, 1)],
      [{ start: 1000, end: 200_000 }, data.subarray(1000, 200_001)],
      [{ start: 300_000 }, data.subarray(300_000)],
      [{ start: 299_999, end: 10_000_000 }, data.subarray(299_999)],
      [{ end: -5 }, data.subarray(-5)],
    ] as const;
    for (const [range, expected] of ranges) {
      expect((await file.download(range))[0].equals(expected)).toBe(true);
    }
    const media = 'GET /storage/v1/b/loft/o/k?alt=media';
    const middle = await rawRequest(stub, media, { headers: { range: 'bytes=5-6' } });
    expect(middle.status).toBe(206);
    expect(middle.headers).toMatchObject({
      'content-range': 'bytes 5-6/300001',
      'content-length': '2',
      'x-goog-stored-content-length': '300001',
      'x-goog-stored-content-encoding': 'identity',
    });
    const beyond = await rawRequest(stub, media, { headers: { range: 'bytes=300001-' } });
    expect(beyond.status).toBe(416);
    // A range that makes no sense is none.
    const senseless = await rawRequest(stub, media, { headers: { range: 'bytes=7-3' } });
    expect([senseless.status, senseless.body.length]).toEqual([200, 300_001]);
  });

  test('of no bytes has no range, not even an open one', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save('', { resumable: false });
    expect(await failureOf(file.download({ start: 0 }))).toBe('416');
    expect(await failureOf(file.download({ end: -1 }))).toBe('416');
  });

  test('that is not there is not found, in each call and in its own words', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('none');
    expect(await file.exists()).toEqual([false]);
    expect(await failureOf(file.getMetadata())).toBe('404 notFound');
    expect(await failureOf(file.delete())).toBe('404 notFound');
    expect(await failureOf(file.setMetadata({ contentType: 'a/b' }))).toBe('404 notFound');
    expect(await failureOf(file.copy('other'))).toBe('404 notFound');
    expect(await failureOf(file.download())).toBe('404');
    const media = await rawRequest(stub, 'GET /storage/v1/b/loft/o/none?alt=media');
    expect(media.body.toString()).toBe('No such object: loft/none');
    const elsewhere = bucketOf(stub, 'nowhere').file('k');
    expect(await failureOf(elsewhere.save('x', { resumable: false }))).toBe('404 notFound');
    expect(await failureOf(elsewhere.save('x', { resumable: true }))).toBe('404');
    expect(await failureOf(elsewhere.getMetadata())).toBe('404 notFound');
  });

  test('is deleted once', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save('x', { resumable: false });
    expect(stub.usedBytes).toBe(1);
    const [answer] = await file.delete();
    expect(answer.statusCode).toBe(204);
    expect(stub.usedBytes).toBe(0);
    expect(await failureOf(file.delete())).toBe('404 notFound');
    await file.delete({ ignoreNotFound: true });
  });

  test('is patched, or its settings replaced, as another metageneration of the same content', async () => {
    const clock = new ManualClock();
    await using stub = await startGcsStub({ buckets: ['loft'], clock });
    const file = bucketOf(stub).file('k');
    await file.save('x', { resumable: false, metadata: { metadata: { a: '1', b: '2' } } });
    const [before] = await file.getMetadata();
    clock.advance(1500);
    await file.setMetadata({ contentType: 'x/y', metadata: { a: null, c: '3' } });
    const [patched] = await file.getMetadata();
    expect(patched).toMatchObject({
      generation: before.generation,
      metageneration: '2',
      contentType: 'x/y',
      metadata: { b: '2', c: '3' },
      timeCreated: before.timeCreated,
    });
    expect(patched.etag).not.toBe(before.etag);
    const times = [before, patched].map(({ updated }) => Date.parse(updated ?? ''));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(1500);
    const answer = await rawRequest(stub, 'PUT /storage/v1/b/loft/o/k', {
      body: '{"metadata":{"d":"4"}}',
    });
    const replaced = JSON.parse(answer.body.toString());
    expect(replaced).toMatchObject({ metageneration: '3', metadata: { d: '4' } });
    expect(replaced).not.toHaveProperty('contentType');
  });

  test('written again is another generation, and gives back what it held before', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], clock: new ManualClock() });
    const file = bucketOf(stub).file('k');
    const generations: number[] = [];
    for (const size of [1, 100, 10]) {
      await file.save(Buffer.alloc(size), { resumable: false });
      generations.push(stub.objects('loft')[0]?.generation ?? 0);
      expect(stub.usedBytes).toBe(size);
    }
    // The clock stood still.
    expect(generations.toSorted((a, b) => a - b)).toEqual(generations);
    expect(new Set(generations).size).toBe(3);
    const old = bucketOf(stub).file('k', { generation: generations[0] ?? 0 });
    expect(await failureOf(old.getMetadata())).toBe('404 notFound');
    const newest = bucketOf(stub).file('k', { generation: generations[2] ?? 0 });
    expect((await newest.download())[0]).toHaveLength(10);
  });

  test('stored in gzip goes out as it is, or unpacked to who does not ask for gzip', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save('hello '.repeat(1000), { resumable: false, gzip: true });
    expect((await file.download())[0].toString()).toBe('hello '.repeat(1000));
    const media = 'GET /storage/v1/b/loft/o/k?alt=media';
    const packed = await rawRequest(stub, media, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.body.length).toBe(stub.objects('loft')[0]?.size);
    const plain = await rawRequest(stub, media);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['x-goog-stored-content-encoding']).toBe('gzip');
    expect(plain.body.toString()).toBe('hello '.repeat(1000));
  });

  test('that says gzip and is none, or unpacks to far too much, is an error and no more', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], maxBytes: 1_000_000 });
    const bucket = bucketOf(stub);
    const metadata = { contentEncoding: 'gzip' };
    await bucket.file('lie').save('plain', { resumable: false, metadata });
    await bucket.file('bomb').save(gzipSync(Buffer.alloc(1_000_001)), {
      resumable: false,
      metadata,
    });
    for (const key of ['lie', 'bomb']) {
      expect((await rawRequest(stub, `GET /b/loft/o/${key}?alt=media`)).status).toBe(503);
    }
    expect(stub.requests.of('objects.download').map(({ error }) => error)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a checksum that the writer states', () => {
  const sum = { crc32c: 'yZRlqg==', md5Hash: 'XrY7u+Ae7tCTyyK7j1rNww==' };

  test.each([
    ['crc32c', sum],
    ['md5Hash', sum],
  ])('as %s is checked, in one request or in many', async (name) => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    for (const resumable of [false, true]) {
      const good = { [name]: sum[name as keyof typeof sum] };
      await file.save('hello world', { resumable, validation: false, metadata: good });
      expect(stub.objects('loft')[0]).toMatchObject(sum);
      await file.delete();
      const bad = { [name]: 'AAAAAA==' };
      const call = file.save('hello world', { resumable, validation: false, metadata: bad });
      expect(await failureOf(call)).toMatch(/^400/);
      expect(stub.objects('loft')).toEqual([]);
      expect(stub.pendingUploads('loft')).toEqual([]);
      expect(stub.usedBytes).toBe(0);
    }
  });

  test('in x-goog-hash is checked, too', async () => {
    await using stub = await start();
    const insert = 'POST /upload/storage/v1/b/loft/o?uploadType=media&name=k';
    const put = async (hash: string): Promise<number> => {
      const headers = { 'x-goog-hash': hash };
      return (await rawRequest(stub, insert, { headers, body: 'hello world' })).status;
    };
    expect(await put(`crc32c=${sum.crc32c},md5=${sum.md5Hash}`)).toBe(200);
    expect(await put(`crc32c=${sum.crc32c},md5=AAAA`)).toBe(400);
    expect(await put('crc32c=AAAAAA==')).toBe(400);
  });
});

describe('a name', () => {
  const keys = [
    'a//b',
    '/a',
    'a/',
    'k',
    'k/x',
    '...',
    'a b',
    'a+b',
    '100%',
    '%2F',
    'a?b#c',
    'q\'"q',
    'ключ',
    '🔑',
    '\u{ff00}',
    'constructor',
    '__proto__',
    'toString',
    'a\tb',
    '\\',
    'x'.repeat(1024),
    'é'.repeat(512),
  ];

  test.each(keys)('%j is as good as any', async (key) => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    const file = bucket.file(key);
    await file.save('one', { resumable: false });
    await file.save('two', { resumable: true });
    expect((await file.download())[0].toString()).toBe('two');
    expect((await bucket.getFiles())[0].map(({ name }) => name)).toEqual([key]);
    await file.copy(bucket.file('copy'));
    await bucket.file('copy').copy(file);
    await file.delete();
    expect(stub.objects('loft').map((object) => object.key)).toEqual(['copy']);
    for (const request of stub.requests.of('uploads.put')) expect(request.key).toBe(key);
  });

  test.each([
    '',
    'x'.repeat(1025),
    'é'.repeat(513),
    '.',
    '..',
    'a\nb',
    'a\rb',
    '.well-known/acme-challenge/x',
  ])('%j is refused', async (key) => {
    await using stub = await start();
    const query = `uploadType=media&name=${encodeURIComponent(key)}`;
    const answer = await rawRequest(stub, `POST /upload/storage/v1/b/loft/o?${query}`, {
      body: 'x',
    });
    expect(reasonIn(answer)).toMatch(/^400 (invalid|required)$/);
    const open = `POST /upload/storage/v1/b/loft/o?${query.replace('media', 'resumable')}`;
    expect((await rawRequest(stub, open)).status).toBe(400);
    expect(stub.usedBytes).toBe(0);
  });

  test('may be in the document instead of the query', async () => {
    await using stub = await start();
    const open = await rawRequest(stub, 'POST /upload/storage/v1/b/loft/o?uploadType=resumable', {
      body: '{"name":"from/document"}',
    });
    const { pathname, search } = new URL(open.headers.location ?? '');
    expect((await rawRequest(stub, `PUT ${pathname}${search}`, { body: 'x' })).status).toBe(200);
    expect(stub.objects('loft').map(({ key }) => key)).toEqual(['from/document']);
    expect(stub.requests.of('uploads.put')[0]?.key).toBe('from/document');
  });
});
