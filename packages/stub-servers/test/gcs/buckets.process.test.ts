import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, clientOf, failureOf } from './support/client.ts';
import { rawRequest, reasonIn } from './support/raw-request.ts';

async function start(): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'] });
}

describe('a bucket', () => {
  test('is made, shown, changed and deleted', async () => {
    await using stub = await startGcsStub();
    const storage = clientOf(stub);
    const bucket = storage.bucket('attic');
    expect(await bucket.exists()).toEqual([false]);
    await storage.createBucket('attic', { location: 'EU' });
    expect(await bucket.exists()).toEqual([true]);
    expect(await failureOf(storage.createBucket('attic'))).toBe('409 conflict');
    await bucket.setMetadata({ labels: { a: 'b' } });
    const [resource] = await bucket.getMetadata();
    expect(resource).toMatchObject({ name: 'attic', location: 'EU', labels: { a: 'b' } });
    expect(resource.metageneration).toBe('2');
    await storage.createBucket('barn');
    expect((await storage.getBuckets())[0].map(({ name }) => name)).toEqual(['attic', 'barn']);
    await bucket.file('k').save('x', { resumable: false });
    expect(await failureOf(bucket.delete())).toBe('409 conflict');
    await bucket.deleteFiles();
    await bucket.delete();
    expect(await failureOf(bucket.getMetadata())).toBe('404 notFound');
    expect(await failureOf(bucket.getFiles())).toBe('404 notFound');
  });

  test.each(['ab', 'A-b', '-ab', 'a/b', 'a..b', '__proto__', 'x'.repeat(64), 'ü-loft'])(
    'is not made by the name %j',
    async (name) => {
      await using stub = await startGcsStub();
      const answer = await rawRequest(stub, 'POST /storage/v1/b', {
        body: JSON.stringify({ name }),
      });
      expect(reasonIn(answer)).toBe('400 invalid');
      expect(() => stub.createBucket(name)).toThrow(/Invalid bucket name/);
    },
  );

  test('needs a name', async () => {
    await using stub = await startGcsStub();
    expect(reasonIn(await rawRequest(stub, 'POST /storage/v1/b', { body: '{}' }))).toBe(
      '400 required',
    );
  });

  test('grants the permissions that one asks about', async () => {
    await using stub = await start();
    const asked = ['storage.objects.create', 'storage.objects.get'];
    const [, answer] = await bucketOf(stub).iam.testPermissions(asked);
    expect(answer).toMatchObject({ permissions: asked });
  });

  test('lists its objects in the order of bytes, by the page', async () => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    const keys = Array.from({ length: 2003 }, (_, index) => `k/${String(index).padStart(4, '0')}`);
    keys.push('\u{ff00}', '\u{1f600}');
    const put = async (key: string): Promise<void> => {
      const path = `/upload/storage/v1/b/loft/o?uploadType=media&name=${encodeURIComponent(key)}`;
      await fetch(`${stub.url}${path}`, { method: 'POST', body: 'x' });
    };
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(
        keys
          .slice(at, at + 50)
          .toReversed()
          .map(put),
      );
    }
    const [files] = await bucket.getFiles();
    expect(files.map(({ name }) => name)).toEqual(keys);
    expect(stub.requests.of('objects.list')).toHaveLength(3);
    const [some, next] = await bucket.getFiles({
      prefix: 'k/',
      maxResults: 7,
      autoPaginate: false,
    });
    expect(some).toHaveLength(7);
    const [more] = await bucket.getFiles({ ...next, maxResults: 2 } as object);
    expect(more.map(({ name }) => name).slice(0, 2)).toEqual(['k/0007', 'k/0008']);
    const [range] = await bucket.getFiles({ startOffset: 'k/1999', endOffset: 'k/2001' });
    expect(range.map(({ name }) => name)).toEqual(['k/1999', 'k/2000']);
    const [top, , answer] = await bucket.getFiles({ delimiter: '/', autoPaginate: false });
    expect(top.map(({ name }) => name)).toEqual(['\u{ff00}', '\u{1f600}']);
    expect(answer).toMatchObject({ prefixes: ['k/'] });
  });

  test('without objects says so by saying nothing', async () => {
    await using stub = await start();
    const { body } = await rawRequest(stub, 'GET /storage/v1/b/loft/o');
    expect(JSON.parse(body.toString())).toEqual({ kind: 'storage#objects' });
  });
});

describe('objects', () => {
  test('are copied, with what was set of them or with something else', async () => {
    await using stub = await startGcsStub({ buckets: ['loft', 'attic'] });
    const file = bucketOf(stub).file('k');
    await file.save('hello', {
      resumable: false,
      contentType: 'x/y',
      metadata: { metadata: { a: '1' } },
    });
    await file.copy(bucketOf(stub, 'attic').file('same'));
    await file.copy(bucketOf(stub, 'attic').file('other'), { metadata: { b: '2' } });
    const [other, same] = stub.objects('attic');
    expect(same).toMatchObject({ contentType: 'x/y', metadata: new Map([['a', '1']]) });
    expect(other).toMatchObject({ contentType: 'x/y', metadata: new Map([['b', '2']]) });
    expect(other?.bytes().toString()).toBe('hello');
    expect(stub.usedBytes).toBe(15);
    const exists = { preconditionOpts: { ifGenerationMatch: 0 } };
    expect(await failureOf(file.copy(bucketOf(stub, 'attic').file('same'), exists))).toBe(
      '412 conditionNotMet',
    );
    expect(stub.usedBytes).toBe(15);
    expect(await failureOf(file.copy(bucketOf(stub, 'cellar').file('k')))).toBe('404 notFound');
    const old = 'POST /storage/v1/b/loft/o/k/rewriteTo/b/loft/o/z?ifSourceGenerationMatch=1';
    expect(reasonIn(await rawRequest(stub, old))).toBe('412 conditionNotMet');
    const copied = await rawRequest(stub, 'POST /storage/v1/b/loft/o/k/copyTo/b/loft/o/z');
    expect(JSON.parse(copied.body.toString())).toMatchObject({ name: 'z', size: '5' });
  });

  test('are copied onto themselves without a loss', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save('hello', { resumable: false });
    await file.copy(file);
    expect(stub.objects('loft')[0]?.bytes().toString()).toBe('hello');
    expect(stub.usedBytes).toBe(5);
  });

  test('are renamed, in two steps or in one', async () => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    await bucket.file('a').save('hello', { resumable: false });
    await bucket.file('a').move('b');
    await bucket.file('b').moveFileAtomic('c');
    expect(stub.objects('loft').map(({ key }) => key)).toEqual(['c']);
    await bucket.file('c').moveFileAtomic('c');
    expect(stub.objects('loft')[0]?.bytes().toString()).toBe('hello');
    expect(stub.usedBytes).toBe(5);
  });

  test('are composed of up to 32', async () => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    const parts = Array.from({ length: 32 }, (_, index) => bucket.file(`part/${index}`));
    await Promise.all(
      parts.map((part, index) => part.save(Buffer.alloc(1000, index), { resumable: false })),
    );
    const whole = bucket.file('whole');
    whole.metadata.contentType = 'x/y';
    await bucket.combine(parts, whole);
    const [resource] = await whole.getMetadata();
    expect(resource).toMatchObject({ componentCount: 32, size: '32000', contentType: 'x/y' });
    expect(resource).not.toHaveProperty('md5Hash');
    // Checked by the CRC-32C, the only checksum that such an object has.
    const expected = Buffer.concat(parts.map((_, index) => Buffer.alloc(1000, index)));
    expect((await whole.download())[0].equals(expected)).toBe(true);
    expect(await failureOf(whole.download({ validation: 'md5' }))).toBe('MD5_NOT_AVAILABLE');
    const twice = bucket.file('twice');
    twice.metadata.contentType = 'x/y';
    await bucket.combine([whole, parts[0] ?? whole], twice);
    expect((await twice.getMetadata())[0].componentCount).toBe(33);
  });

  test.each([
    ['no sources', '{}', '400 required'],
    [
      'too many',
      JSON.stringify({ sourceObjects: Array.from({ length: 33 }, () => ({ name: 'k' })) }),
      '400 invalid',
    ],
    ['a source without a name', '{"sourceObjects":[{}]}', '400 required'],
    ['a source that is none', '{"sourceObjects":[null]}', '400 required'],
    ['a source that is not there', '{"sourceObjects":[{"name":"none"}]}', '404 notFound'],
    ['another generation', '{"sourceObjects":[{"name":"k","generation":"1"}]}', '404 notFound'],
    [
      'a precondition that does not hold',
      '{"sourceObjects":[{"name":"k","objectPreconditions":{"ifGenerationMatch":"1"}}]}',
      '412 conditionNotMet',
    ],
  ])('are not composed of %s', async (_, body, expected) => {
    await using stub = await start();
    await bucketOf(stub).file('k').save('x', { resumable: false });
    const answer = await rawRequest(stub, 'POST /storage/v1/b/loft/o/z/compose', { body });
    expect(reasonIn(answer)).toBe(expected);
    expect(stub.usedBytes).toBe(1);
  });

  test('are not composed over one that must not be there', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save('x', { resumable: false });
    const answer = await rawRequest(stub, 'POST /b/loft/o/k/compose?ifGenerationMatch=0', {
      body: '{"sourceObjects":[{"name":"k"},{"name":"k"}]}',
    });
    expect(reasonIn(answer)).toBe('412 conditionNotMet');
    expect(stub.usedBytes).toBe(1);
  });
});
