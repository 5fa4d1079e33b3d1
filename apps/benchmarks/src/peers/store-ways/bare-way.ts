import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { StorePlace, StoreWay } from './store-way.ts';
import { drain } from './store-way.ts';

/** One request of plain HTTP in either direction: the least that it can cost with Node's client. */
export function openBareWay({ dialect, port }: StorePlace): StoreWay {
  const agent = new Agent({ keepAlive: true });
  const { up, down, headers } = PATHS[dialect];
  return {
    copy: async (file, bytes) => {
      const sending = request({
        agent,
        port,
        host: '127.0.0.1',
        path: up,
        method: dialect === 'gcs' ? 'POST' : 'PUT',
        headers: { ...headers, 'content-length': bytes },
      });
      const answered = once(sending, 'response');
      await pipeline(
        createReadStream(file, { end: bytes - 1, highWaterMark: 256 * 1024 }),
        sending,
      );
      const [response] = await answered;
      response.resume();
      await once(response, 'end');
    },
    read: async (bytes) => {
      const asking = request({ agent, port, host: '127.0.0.1', path: down });
      asking.end();
      const [response] = await once(asking, 'response');
      await drain(response, bytes);
    },
    close: async () => agent.destroy(),
  };
}

const PATHS = {
  s3: { up: '/bucket/bare', down: '/bucket/bare', headers: {} },
  gcs: {
    up: '/upload/storage/v1/b/bucket/o?uploadType=media&name=bare',
    down: '/storage/v1/b/bucket/o/bare?alt=media',
    headers: {},
  },
  azure: {
    up: '/devstoreaccount1/container/bare',
    down: '/devstoreaccount1/container/bare',
    headers: { 'x-ms-blob-type': 'BlockBlob' },
  },
} as const;
