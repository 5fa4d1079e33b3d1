import { isIPv6 } from 'node:net';
import { UsageError } from './usage-error.ts';

/** A host, and maybe a port. */
export interface Address {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Reads a port.
 *
 * @param what the flag, for the message
 * @throws UsageError when it is no integer from 0 to 65535
 */
export function parsePort(text: string, what: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(
    `${what} needs a port from 0 (any free one) to 65535, got ${JSON.stringify(text)}.`,
  );
}

/**
 * Reads `HOST` or `HOST:PORT`; an IPv6 address with a port stands in brackets.
 *
 * @param what the flag, for the message
 * @throws UsageError when there is no host, or the port is none
 */
export function parseAddress(text: string, what: string): Address {
  const bracketed = /^\[(?<host>[^\]]+)\](?::(?<port>.*))?$/.exec(text)?.groups;
  const plain = /^(?<host>[^:[\]]+)(?::(?<port>[^:]*))?$/.exec(text)?.groups;
  const groups = bracketed ?? plain;
  // More than one colon and no brackets: an IPv6 address alone.
  const host = groups?.['host'] ?? (isIPv6(text) ? text : '');
  if (host.trim() === '') {
    throw new UsageError(`${what} needs HOST or HOST:PORT, got ${JSON.stringify(text)}.`);
  }
  const port = groups?.['port'];
  return { host, port: port === undefined ? undefined : parsePort(port, what) };
}

/** `host:port`, with an IPv6 address in brackets. */
export function printAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only programs on this machine reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
