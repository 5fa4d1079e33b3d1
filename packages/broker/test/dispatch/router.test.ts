import { type ApiDescription, encodeRequest, heartbeatApi, metadataApi } from '@logloft/protocol';
import { expect, test } from 'vitest';
import { defineHandler, type Handler } from '../../src/dispatch/handler.ts';
import { Router } from '../../src/dispatch/router.ts';
import { type ClientConnection, ConnectionFault } from '../../src/network/connection.ts';
import { BrokerStatistics } from '../../src/statistics/broker-statistics.ts';

const client: ClientConnection = {
  id: 1,
  host: '/127.0.0.1',
  listenerName: 'PLAINTEXT',
  gone: new AbortController().signal,
  software: undefined,
};

function heartbeat(handle: Parameters<typeof defineHandler>[0]['handle']): Handler {
  return defineHandler({
    api: heartbeatApi as ApiDescription,
    versions: { min: 0, max: 4 },
    handle,
  });
}

/** Processes a heartbeat; how often its frame was released, and what came of it. */
async function process(handler: Handler) {
  const { chunks } = encodeRequest(
    heartbeatApi,
    { version: 4, correlationId: 1, clientId: 'c' },
    { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null },
  );
  let released = 0;
  const frame = {
    bytes: Buffer.concat(chunks).subarray(4),
    release: () => {
      released += 1;
    },
  };
  let outcome: unknown;
  try {
    outcome = await new Router([handler], new BrokerStatistics()).process(frame, client);
  } catch (error) {
    outcome = error;
  }
  return { released, outcome };
}

test.each([
  [
    'at once',
    () => {
      throw new Error('boom');
    },
  ],
  ['later', () => Promise.reject(new Error('boom'))],
])(
  'a handler that throws %s closes the connection with a line that tells which request it was (cases A 15)',
  async (_, handle) => {
    const { outcome, released } = await process(heartbeat(handle));
    expect(released).toBe(1);
    expect(outcome).toBeInstanceOf(ConnectionFault);
    expect(outcome).toMatchObject({
      severity: 'error',
      fields: { api: 'Heartbeat', version: 4, clientId: 'c', error: new Error('boom') },
    });
  },
);

test('what a handler kept for its answer is let go when it throws', async () => {
  let kept = 0;
  const { released, outcome } = await process(
    heartbeat(async (_, context) => {
      kept += 1;
      context.onSent(() => {
        kept -= 1;
      });
      const release = context.retainFrame();
      await Promise.resolve();
      release();
      release();
      throw new Error('boom');
    }),
  );
  expect(outcome).toBeInstanceOf(ConnectionFault);
  expect([kept, released]).toEqual([0, 1]);
});

test('a frame is held as long as a handler retains it, and not longer', async () => {
  let finish = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const seen: number[] = [];
  const running = process(
    heartbeat(async (_, context) => {
      const release = context.retainFrame();
      await waiting;
      seen.push(1);
      release();
      return { throttleTimeMs: 0, errorCode: 0 };
    }),
  );
  finish();
  const { released, outcome } = await running;
  expect(outcome).toHaveProperty('chunks');
  expect([seen, released]).toEqual([[1], 1]);
});

test('an API without a handler is refused, and its frame released', async () => {
  const other = defineHandler({
    api: metadataApi as ApiDescription,
    versions: { min: 0, max: 12 },
    handle: () => undefined,
  });
  const { outcome, released } = await process(other);
  expect(outcome).toMatchObject({ severity: 'warn', fields: { api: 'Heartbeat' } });
  expect(released).toBe(1);
});
