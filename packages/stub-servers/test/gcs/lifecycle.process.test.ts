import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf } from './support/client.ts';
import { rawRequest } from './support/raw-request.ts';

/** Sockets and servers of this process, the test runner's own included. */
function sockets(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kind.startsWith('TCP'))
    .toSorted();
}

describe('a stub', () => {
  test('that is closed leaves no socket and no timer, whatever it was doing', async () => {
    const before = sockets();
    const clock = new ManualClock();
    const stub = await startGcsStub({ buckets: ['loft'], clock });
    const delayed = stub.failures.add({
      operation: 'objects.list',
      action: { kind: 'delay', ms: 1e6 },
    });
    const hung = stub.failures.add({ operation: 'objects.get', action: { kind: 'hang' } });
    const calls = [
      rawRequest(stub, 'GET /storage/v1/b/loft/o'),
      rawRequest(stub, 'GET /storage/v1/b/loft/o/k'),
    ];
    const settled = Promise.allSettled(calls);
    await Promise.all([delayed.whenFired(), hung.whenFired()]);
    expect(clock.pendingTimers).toBe(1);
    await Promise.all([stub.close(), stub.close()]);
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(clock.pendingTimers).toBe(0);
    await expect.poll(sockets, { timeout: 30_000 }).toEqual(before);
    await expect(rawRequest(stub, 'GET /')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('says when its port is taken', async () => {
    await using stub = await startGcsStub();
    await expect(startGcsStub({ port: stub.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test.each([
    [{ port: 65_536 }, RangeError],
    [{ maxBytes: -1 }, RangeError],
    [{ maxLoggedRequests: 0 }, RangeError],
    [{ token: '' }, TypeError],
    [{ token: 'a b' }, TypeError],
    [{ buckets: ['A'] }, /Invalid bucket name/],
    [{ buckets: ['loft', 'loft'] }, /already own/],
    [{ serviceAccount: { publicKey: 'none' } }, Error],
  ])('does not start with %j', async (options, error) => {
    await expect(startGcsStub(options)).rejects.toThrow(error);
  });

  test('shows its buckets and objects', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'] });
    stub.createBucket('attic');
    expect(stub.buckets()).toEqual(['attic', 'loft']);
    await bucketOf(stub).file('k').save('x', { resumable: false });
    expect(stub.object('loft', 'k')?.bytes().toString()).toBe('x');
    expect(stub.object('loft', 'none')).toBeUndefined();
    expect(() => stub.objects('cellar')).toThrow('does not exist');
  });

  test('tells clients the address that they came by, so that a proxy stays in the way', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'] });
    let passed = 0;
    const proxy = createServer((request, response) => {
      passed += 1;
      request.resume();
      const host = request.headers.host ?? '';
      void rawRequest(stub, `${request.method} ${request.url}`, { headers: { host } }).then(
        (answer) => {
          response.writeHead(answer.status, { location: answer.headers.location ?? '' }).end();
        },
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const open = '/upload/storage/v1/b/loft/o?uploadType=resumable&name=k';
    const { headers } = await fetch(`${url}${open}`, { method: 'POST' });
    expect(headers.get('location')?.startsWith(`${url}${open}&upload_id=`)).toBe(true);
    expect(passed).toBe(1);
    proxy.close();
    proxy.closeAllConnections();
  });
});
