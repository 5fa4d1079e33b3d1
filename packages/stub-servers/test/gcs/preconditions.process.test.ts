import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, failureOf } from './support/client.ts';
import { rawRequest, reasonIn } from './support/raw-request.ts';

async function start(): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'] });
}

const ABSENT = { ifGenerationMatch: 0 };

describe('of 12 writers that race to create an object', () => {
  test.each([
    ['in one request', { resumable: false }],
    ['in a resumable upload', { resumable: true }],
    ['in chunks', { resumable: true, chunkSize: 256 * 1024 }],
  ])('%s one wins, and its bytes stay', async (_, options) => {
    await using stub = await start();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        const file = bucketOf(stub).file('k');
        const body = Buffer.alloc(300_000, writer);
        return await failureOf(file.save(body, { ...options, preconditionOpts: ABSENT }));
      }),
    );
    const winners = outcomes.flatMap((outcome, writer) =>
      outcome === 'succeeded' ? [writer] : [],
    );
    expect(winners).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.startsWith('412'))).toHaveLength(11);
    expect(stub.objects('loft')[0]?.bytes()).toEqual(Buffer.alloc(300_000, winners[0]));
    expect(stub.usedBytes).toBe(300_000);
  });
});

describe('a precondition', () => {
  test('on a write, a patch and a delete is that of the newest version', async () => {
    await using stub = await start();
    const bucket = bucketOf(stub);
    const file = bucket.file('k');
    const replace = (ifGenerationMatch: number | string): Promise<string> =>
      failureOf(file.save('x', { resumable: false, preconditionOpts: { ifGenerationMatch } }));
    expect(await replace(7)).toBe('412 conditionNotMet');
    expect(await replace(0)).toBe('succeeded');
    expect(await replace(0)).toBe('412 conditionNotMet');
    const first = stub.objects('loft')[0]?.generation ?? 0;
    expect(await replace(first)).toBe('succeeded');
    expect(await replace(first)).toBe('412 conditionNotMet');
    const patch = { contentType: 'a/b' };
    expect(await failureOf(file.setMetadata(patch, { ifMetagenerationMatch: 9 }))).toBe(
      '412 conditionNotMet',
    );
    expect(await failureOf(file.setMetadata(patch, { ifMetagenerationMatch: 1 }))).toBe(
      'succeeded',
    );
    expect(await failureOf(file.delete({ ifGenerationMatch: first }))).toBe('412 conditionNotMet');
    const second = stub.objects('loft')[0]?.generation ?? 0;
    expect(await failureOf(file.delete({ ifGenerationMatch: second }))).toBe('succeeded');
  });

  test('on a read answers 412, or 304 where the client has that version', async () => {
    await using stub = await start();
    await bucketOf(stub).file('k').save('x', { resumable: false });
    const { generation = 0 } = stub.objects('loft')[0] ?? {};
    const etag = (await rawRequest(stub, 'GET /b/loft/o/k')).headers.etag ?? '';
    for (const alt of ['alt=media', 'alt=json']) {
      const read = async (query: string, headers: Record<string, string> = {}): Promise<number> =>
        (await rawRequest(stub, `GET /b/loft/o/k?${alt}${query}`, { headers })).status;
      expect(await read(`&ifGenerationMatch=${generation}`)).toBe(200);
      expect(await read('&ifGenerationMatch=1')).toBe(412);
      expect(await read('&ifMetagenerationMatch=2')).toBe(412);
      expect(await read(`&ifGenerationNotMatch=${generation}`)).toBe(304);
      expect(await read('&ifGenerationNotMatch=1')).toBe(200);
      expect(await read('&ifMetagenerationNotMatch=1')).toBe(304);
      expect(await read('', { 'if-none-match': etag })).toBe(304);
      expect(await read('', { 'if-none-match': '"other"' })).toBe(200);
      expect(await read('', { 'if-match': `"${etag}"` })).toBe(200);
      expect(await read('', { 'if-match': 'other' })).toBe(412);
    }
  });

  test.each(['-1', '1.5', 'x', '', '1e3', '99999999999999999999'])(
    'of %j is no precondition, but an error',
    async (value) => {
      await using stub = await start();
      const path = '/upload/storage/v1/b/loft/o?uploadType=media&name=k';
      const answer = await rawRequest(stub, `POST ${path}&ifGenerationMatch=${value}`, {
        body: 'x',
      });
      expect(reasonIn(answer)).toBe('400 invalid');
      expect(stub.objects('loft')).toEqual([]);
    },
  );
});
