import { expect, test } from 'vitest';
import { ConfigValues } from '../../src/config/config-values.ts';
import { BROKER_CONFIG } from '../../src/config/definitions.ts';
import { advertisedListenersOf, listenersOf } from '../../src/config/listeners.ts';

function values(texts: Record<string, string>) {
  return new ConfigValues(BROKER_CONFIG, new Map(Object.entries(texts)));
}

test('names, hosts and ports are read, also of IPv6 and of every interface', () => {
  const listeners = 'PLAINTEXT://:9092, internal://[::1]:0,OTHER://broker-1.example:65535';
  const map = 'INTERNAL:PLAINTEXT,OTHER:PLAINTEXT';
  expect(listenersOf(values({ listeners, 'listener.security.protocol.map': map }))).toEqual([
    { name: 'PLAINTEXT', host: '', port: 9092 },
    { name: 'INTERNAL', host: '::1', port: 0 },
    { name: 'OTHER', host: 'broker-1.example', port: 65_535 },
  ]);
});

test.each([
  'localhost:9092',
  'PLAINTEXT://localhost',
  'PLAINTEXT://localhost:65536',
  'PLAINTEXT://localhost:-1',
  'PLAINTEXT://::1:9092',
  'PLAINTEXT://a:1,PLAINTEXT://b:2',
  'UNKNOWN://a:1',
])('%s is refused', (listeners) => {
  expect(() => listenersOf(values({ listeners }))).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_CONFIG_INVALID_VALUE', key: 'listeners' }),
  );
});

test.each([
  ['SSL://:1', 'TLS'],
  ['SASL_PLAINTEXT://:1', 'SASL'],
  ['SASL_SSL://:1', 'SASL over TLS'],
])('%s is refused, naming %s', (listeners, feature) => {
  expect(() => listenersOf(values({ listeners }))).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_CONFIG_UNSUPPORTED',
      message: expect.stringContaining(`asks for ${feature},`),
    }),
  );
});

test('a map that names no protocol is refused', () => {
  for (const map of ['PLAINTEXT', 'A:B', 'A:SSL:C', ':SSL']) {
    expect(() => listenersOf(values({ 'listener.security.protocol.map': map }))).toThrow(
      expect.objectContaining({ key: 'listener.security.protocol.map' }),
    );
  }
});

test('addresses of a separate controller are left out, but not all may be', () => {
  const both = {
    listeners: 'PLAINTEXT://:1,CONTROLLER://:2',
    'controller.listener.names': 'CONTROLLER',
  };
  expect(listenersOf(values(both)).map(({ name }) => name)).toEqual(['PLAINTEXT']);
  const one = { listeners: 'CONTROLLER://:2', 'controller.listener.names': 'CONTROLLER' };
  expect(() => listenersOf(values(one))).toThrow(expect.objectContaining({ key: 'listeners' }));
});

test('what is advertised must belong to a listener, and be an address to connect to', () => {
  const listeners = 'PLAINTEXT://:1';
  const advertise = (text: string) =>
    advertisedListenersOf(values({ listeners, 'advertised.listeners': text }));
  expect(advertisedListenersOf(values({ listeners }))).toBeUndefined();
  expect(advertise('PLAINTEXT://example.org:1')).toEqual([
    { name: 'PLAINTEXT', host: 'example.org', port: 1 },
  ]);
  for (const text of [
    'OTHER://a:1',
    'PLAINTEXT://:1',
    'PLAINTEXT://0.0.0.0:1',
    'PLAINTEXT://a:0',
  ]) {
    expect(() => advertise(text), text).toThrow(
      expect.objectContaining({ key: 'advertised.listeners' }),
    );
  }
});
