import { once } from 'node:events';
import { Agent } from 'node:http';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { BUCKET, startPair } from './support/client.ts';
import { capture, Talk, type WireRequest, wireText } from './support/wire.ts';

const MIB = 1024 * 1024;

async function captureLarge(client: Parameters<typeof capture>[0]): Promise<WireRequest> {
  const wire = await capture(client, (each) =>
    each.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: Buffer.alloc(2 * MIB, 'x') })),
  );
  expect(wire.headers['Expect']).toBe('100-continue');
  return wire;
}

test('100 Continue comes before the body when the request is welcome', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const wire = await captureLarge(client);
  const talk = new Talk(stub.port);
  talk.socket.write(wireText(wire, 0));
  await talk.until(/\r\n\r\n/);
  expect(talk.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  talk.socket.write(wire.body);
  await talk.until(/200 OK[\s\S]*\r\n\r\n/);
  expect(stub.object(BUCKET, 'k')?.size).toBe(2 * MIB);
  talk.socket.destroy();
});

test('a request that is refused by its head is answered without its body, and the connection ends', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const wire = await captureLarge(client);
  const headers = { ...wire.headers, 'x-amz-date': '20200101T000000Z' };
  const talk = new Talk(stub.port);
  talk.socket.write(wireText({ ...wire, headers }, 0));
  await once(talk.socket, 'end');
  expect(talk.text).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(talk.text).toMatch(/\r\nconnection: close\r\n/i);
  talk.socket.destroy();
});

test('a store that ignores Expect sends no 100 Continue, and takes the body nevertheless', async () => {
  await using pair = await startPair({ expectContinue: 'ignore' });
  const { client, stub } = pair;
  const wire = await captureLarge(client);
  const talk = new Talk(stub.port);
  talk.socket.write(wireText(wire));
  await talk.until(/200 OK[\s\S]*\r\n\r\n/);
  expect(talk.text).not.toContain('100 Continue');
  expect(stub.object(BUCKET, 'k')?.size).toBe(2 * MIB);
  talk.socket.destroy();
});

test('with an agent of its own and no Expect, the SDK reuses one connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await using pair = await startPair(
    { expectContinue: 'ignore' },
    { expectContinueHeader: false, requestHandler: { httpAgent: agent } },
  );
  const { client, stub } = pair;
  for (const Key of ['a', 'b', 'c']) {
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: Buffer.alloc(2 * MIB) }));
  }
  expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  expect(stub.connections).toBe(1);
});
