import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable } from '../../src/group/abortable.ts';
import { ParkedRequest } from '../../src/group/parked-request.ts';

function parked(signal?: AbortSignal): { request: ParkedRequest<string>; drops: string[] } {
  const drops: string[] = [];
  return { request: new ParkedRequest({ signal, dropped: () => drops.push('dropped') }), drops };
}

it('a parked request is answered once and lets go of its signal', async () => {
  const { signal } = new AbortController();
  const { request, drops } = parked(signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  request.answer('first');
  request.answer('second');
  expect(await request.result).toBe('first');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(drops).toEqual([]);
});

it('a parked request that was dropped stays dropped', async () => {
  const client = new AbortController();
  const { request, drops } = parked(client.signal);
  const rejected = expect(request.result).rejects.toThrow('gone');
  client.abort(new Error('gone'));
  request.answer('too late');
  await rejected;
  expect(drops).toEqual(['dropped']);
  expect(getEventListeners(client.signal, 'abort')).toEqual([]);
});

it('waiting with a signal lets go of it whatever the outcome', async () => {
  const client = new AbortController();
  expect(await abortable(Promise.resolve(1), client.signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('no')), client.signal)).rejects.toThrow('no');
  const waiting = abortable(new Promise(() => undefined), client.signal);
  client.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(abortable(Promise.resolve(1), client.signal)).rejects.toThrow('gone');
  expect(getEventListeners(client.signal, 'abort')).toEqual([]);
});
