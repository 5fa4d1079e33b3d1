import { ConfigError } from './config-error.ts';
import type { ConfigValues } from './config-values.ts';

/** One address of `listeners` or `advertised.listeners`. */
export interface ListenerAddress {
  /** E.g. `PLAINTEXT`, or a name of one's own. */
  readonly name: string;
  /** Empty: every interface. An IPv6 address is without brackets. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const SECURITY_PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['PLAINTEXT', ''],
  ['SSL', 'TLS'],
  ['SASL_PLAINTEXT', 'SASL'],
  ['SASL_SSL', 'SASL over TLS'],
]);

/**
 * The addresses to listen on; those of a separate controller are left out.
 *
 * @throws {@link ConfigError} when one cannot be read, is there twice, or asks for TLS or SASL
 */
export function listenersOf(values: ConfigValues): readonly ListenerAddress[] {
  const ofController = values.optionalList('controller.listener.names') ?? [];
  const all = parseAddresses('listeners', values.list('listeners'));
  const listeners = all.filter(({ name }) => !ofController.includes(name));
  if (listeners.length === 0) {
    throw invalid('listeners', 'must have an address that is not in controller.listener.names');
  }
  const protocols = protocolsOf(values);
  for (const { name } of listeners) requirePlaintext(name, protocols);
  return listeners;
}

/**
 * What clients are told instead, or `undefined` when that is what is listened on.
 *
 * @throws {@link ConfigError} when one cannot be read, is there twice, or belongs to no listener
 */
export function advertisedListenersOf(
  values: ConfigValues,
): readonly ListenerAddress[] | undefined {
  const texts = values.optionalList('advertised.listeners');
  if (texts === undefined || texts.length === 0) return undefined;
  const names = parseAddresses('listeners', values.list('listeners')).map(({ name }) => name);
  const ofController = values.optionalList('controller.listener.names') ?? [];
  const addresses = parseAddresses('advertised.listeners', texts);
  for (const { name, host, port } of addresses) {
    if (!names.includes(name)) {
      throw invalid('advertised.listeners', `names ${name}, which is none of listeners`);
    }
    if (host === '' || host === '0.0.0.0' || host === '::' || port === 0) {
      throw invalid(
        'advertised.listeners',
        `must give a host and port that clients can connect to for ${name}`,
      );
    }
  }
  return addresses.filter(({ name }) => !ofController.includes(name));
}

function parseAddresses(key: string, texts: readonly string[]): readonly ListenerAddress[] {
  const addresses = texts.map((text) => parseAddress(key, text));
  const names = new Set<string>();
  for (const { name } of addresses) {
    if (names.has(name)) throw invalid(key, `has two addresses of the name ${name}`);
    names.add(name);
  }
  return addresses;
}

function parseAddress(key: string, text: string): ListenerAddress {
  const match = /^([A-Za-z0-9_]+):\/\/(?:\[([0-9a-fA-F:.%]+)\]|([^[\]:/]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[4]);
  if (match === null || port > 65_535) {
    throw invalid(key, `must be of the form NAME://host:port; got ${JSON.stringify(text)}`);
  }
  return { name: (match[1] ?? '').toUpperCase(), host: match[2] ?? match[3] ?? '', port };
}

/** Listener names of the map; the names of the protocols stand for themselves unless it says otherwise. */
function protocolsOf(values: ConfigValues): ReadonlyMap<string, string> {
  const key = 'listener.security.protocol.map';
  const protocols = new Map([...SECURITY_PROTOCOLS.keys()].map((name) => [name, name]));
  for (const text of values.list(key)) {
    const [name = '', protocol = '', ...rest] = text.split(':').map((part) => part.trim());
    if (name === '' || rest.length > 0 || !SECURITY_PROTOCOLS.has(protocol.toUpperCase())) {
      throw invalid(
        key,
        `must be a list of NAME:PROTOCOL with one of ${[...SECURITY_PROTOCOLS.keys()].join(', ')}; ` +
          `got ${JSON.stringify(text)}`,
      );
    }
    protocols.set(name.toUpperCase(), protocol.toUpperCase());
  }
  return protocols;
}

function requirePlaintext(name: string, protocols: ReadonlyMap<string, string>): void {
  const protocol = protocols.get(name);
  if (protocol === undefined) {
    throw invalid('listeners', `names ${name}, which listener.security.protocol.map does not know`);
  }
  const feature = SECURITY_PROTOCOLS.get(protocol);
  if (protocol === 'PLAINTEXT') return;
  throw new ConfigError('LOGLOFT_CONFIG_UNSUPPORTED', {
    key: 'listeners',
    reason: `The listener ${name} asks for ${feature}, which is not served so far. Use PLAINTEXT.`,
  });
}

function invalid(key: string, rule: string): ConfigError {
  return new ConfigError('LOGLOFT_CONFIG_INVALID_VALUE', { key, reason: `${key} ${rule}.` });
}
