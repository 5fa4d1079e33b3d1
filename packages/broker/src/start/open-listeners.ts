import type { ConfigValues } from '../config/config-values.ts';
import type { ListenerAddress } from '../config/listeners.ts';
import type { RequestProcessor } from '../network/connection.ts';
import { Listener, type ListenerContext } from '../network/listener.ts';
import type { AdvertisedEndpoint } from '../node.ts';
import type { Closers } from './closers.ts';
import type { Settings } from './settings.ts';

/** Kafka's name for "every interface" is no name at all. */
const EVERY_INTERFACE = '0.0.0.0';

/** The open listeners of a broker, by name. */
export class Listeners {
  readonly #settings: Settings;
  readonly #open = new Map<
    string,
    { readonly listener: Listener; readonly address: ListenerAddress }
  >();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Opens all of them.
   *
   * @throws ListenError when an address cannot be bound
   */
  async open(
    processor: RequestProcessor,
    context: Omit<ListenerContext, 'processor'>,
    closers: Closers,
  ): Promise<void> {
    const { values } = this.#settings.config;
    for (const address of this.#settings.listeners) {
      const options = { ...limitsOf(values), ...address, host: address.host || EVERY_INTERFACE };
      const listener = await Listener.open(options, { ...context, processor });
      closers.add(listener, (opened) => opened.close());
      this.#open.set(address.name, { listener, address });
    }
  }

  /** The first one, which is what `bootstrapServers` names. */
  get firstName(): string {
    return this.#settings.listeners[0]?.name ?? '';
  }

  /** Where clients of a listener reach this broker. */
  endpointOf(name: string): AdvertisedEndpoint {
    const opened = this.#open.get(name);
    const advertised = this.#settings.advertised.get(name);
    const host = advertised?.host ?? reachable(opened?.address.host ?? '');
    return { host, port: advertised?.port ?? opened?.listener.port ?? -1 };
  }
}

/** What a client on this machine can connect to, for a listener on every interface. */
function reachable(host: string): string {
  if (host === '' || host === EVERY_INTERFACE) return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function limitsOf(values: ConfigValues) {
  return {
    maxFrameBytes: values.number('socket.request.max.bytes'),
    maxIdleMs: values.number('connections.max.idle.ms'),
    maxConnections: values.number('max.connections'),
  };
}
