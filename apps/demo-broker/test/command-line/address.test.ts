import { expect, it } from 'vitest';
import { isLoopback, parseAddress, printAddress } from '../../src/command-line/address.ts';

it('reads hosts with and without ports, and IPv6 in brackets or alone', () => {
  expect(parseAddress('broker', '--x')).toEqual({ host: 'broker', port: undefined });
  expect(parseAddress('broker:1', '--x')).toEqual({ host: 'broker', port: 1 });
  expect(parseAddress('[fe80::1]:1', '--x')).toEqual({ host: 'fe80::1', port: 1 });
  expect(parseAddress('[::]', '--x')).toEqual({ host: '::', port: undefined });
  expect(parseAddress('fe80::1', '--x')).toEqual({ host: 'fe80::1', port: undefined });
});

it('prints IPv6 addresses in brackets', () => {
  expect(printAddress('::1', 1)).toBe('[::1]:1');
  expect(printAddress('127.0.0.1', 1)).toBe('127.0.0.1:1');
});

it('knows which addresses only this machine reaches', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
    expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '', '10.0.0.1', '127.evil.example']) {
    expect(isLoopback(host), host).toBe(false);
  }
});
