import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '@logloft/clock';
import { untilAborted } from './pause.ts';
import { type ProxyTarget, targetOf } from './proxy-target.ts';
import { pump } from './pump.ts';

/** Something that a {@link TcpFaultProxy} does to a connection. */
export type TcpFault =
  /** Takes the connection and resets it. */
  | { readonly type: 'reset' }
  /** Takes the connection, reads what comes, and never answers. */
  | { readonly type: 'silent' }
  /** Breaks both sides off after so many bytes of one direction, if there are more. */
  | {
      readonly type: 'cut';
      readonly direction: 'up' | 'down';
      readonly afterBytes: number;
      readonly reset?: boolean | undefined;
    }
  /** Passes so many bytes of one direction and then nothing more, with the connection open. */
  | { readonly type: 'stall'; readonly direction: 'up' | 'down'; readonly afterBytes: number }
  /** Holds both directions to a rate. */
  | { readonly type: 'throttle'; readonly bytesPerSecond: number };

/** What became of a connection; its figures grow while it is open. */
export interface TcpConnection {
  /** Number of the connection among all of the proxy, from 1. */
  readonly number: number;
  readonly fault: TcpFault | undefined;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly isOpen: boolean;
}

/** How a {@link TcpFaultProxy} is started. */
export interface TcpFaultProxyOptions {
  /** Where connections go; an `http:` URL, of which host and port count. */
  readonly target: ProxyTarget;
  /** What is done to each connection, by its number from 1. Default nothing. */
  readonly faults?: ((number: number) => TcpFault | undefined) | undefined;
  /** Measures rates. Default the clock of the machine. */
  readonly clock?: Clock | undefined;
}

/** A proxy that knows of bytes alone: for what HTTP cannot show, and for TLS. */
export interface TcpFaultProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All connections so far, in the order of their arrival. */
  readonly log: readonly TcpConnection[];
  /** Refuses new connections from now on; those that are open go on. */
  refuse(): Promise<void>;
  /** Takes connections again, at the same port. */
  admit(): Promise<void>;
  /** Breaks off all connections and stops listening. */
  close(): Promise<void>;
}

type ConnectionRecord = { -readonly [Field in keyof TcpConnection]: TcpConnection[Field] };

/**
 * Starts a TCP proxy on a free port of 127.0.0.1.
 *
 * @throws RangeError for a target that is not an `http:` URL
 */
export async function startTcpFaultProxy(options: TcpFaultProxyOptions): Promise<TcpFaultProxy> {
  const { clock = systemClock, faults = () => undefined } = options;
  const target = targetOf(options.target);
  const log: ConnectionRecord[] = [];
  const sockets = new Set<Socket>();
  const running = new Set<Promise<void>>();

  const onConnection = (client: Socket): void => {
    const number = log.length + 1;
    const fault = faults(number);
    const record = { number, fault, bytesUp: 0, bytesDown: 0, isOpen: true };
    log.push(record);
    sockets.add(client);
    const played = play({ client, target, clock, record }).finally(() => {
      sockets.delete(client);
      running.delete(played);
    });
    running.add(played);
  };

  let server = await listen(0, onConnection);
  // Of a server that listens on a port, the address is an object.
  const { port } = server.address() as AddressInfo;

  const refuse = async (): Promise<void> => stopListening(server);
  const close = async (): Promise<void> => {
    const refusing = refuse();
    for (const socket of sockets) socket.destroy();
    await refusing;
    await Promise.all(running);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    refuse,
    admit: async () => {
      if (!server.listening) server = await listen(port, onConnection);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function play(parties: {
  readonly client: Socket;
  readonly target: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly record: ConnectionRecord;
}): Promise<void> {
  const { client, target, clock, record } = parties;
  const { fault } = record;
  const gone = new AbortController();
  const { signal } = gone;
  client.on('error', () => undefined);
  client.once('close', () => gone.abort(new Error('the client left')));
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const upstream = goesOn(fault) ? connect(target) : undefined;
  upstream?.on('error', () => undefined);
  signal.addEventListener('abort', () => upstream?.destroy(), { once: true });
  const flow = (direction: 'up' | 'down'): Parameters<typeof pump>[2] => ({
    clock,
    signal,
    bytesPerSecond: fault?.type === 'throttle' ? fault.bytesPerSecond : undefined,
    limitBytes: limitOf(fault, direction),
    onBytes: (bytes) => {
      if (direction === 'up') record.bytesUp += bytes;
      else record.bytesDown += bytes;
    },
  });
  const move = async (from: Socket, to: Socket, direction: 'up' | 'down'): Promise<void> => {
    const end = await pump(from, to, flow(direction));
    if (end === 'all') to.end();
    else if (fault?.type === 'stall') {
      leaveWith(client);
      await untilAborted(signal);
    } else breakOff(client, upstream, fault?.type === 'cut' && fault.reset === true);
  };
  if (fault?.type === 'reset') client.resetAndDestroy();
  if (fault?.type === 'silent') leaveWith(client);
  if (upstream !== undefined) {
    const moves = [move(client, upstream, 'up'), move(upstream, client, 'down')];
    // What one side fails with, the other sees as an end.
    await Promise.all(moves.map((one) => one.catch(() => breakOff(client, upstream, false))));
    client.destroySoon();
  }
  await closed;
  record.isOpen = false;
}

// A connection that nobody reads from does not tell that its client left.
function leaveWith(client: Socket): void {
  client.once('end', () => client.destroy());
  client.resume();
}

function goesOn(fault: TcpFault | undefined): boolean {
  return fault?.type !== 'reset' && fault?.type !== 'silent';
}

function limitOf(fault: TcpFault | undefined, direction: 'up' | 'down'): number | undefined {
  const isLimit = fault?.type === 'cut' || fault?.type === 'stall';
  return isLimit && fault.direction === direction ? fault.afterBytes : undefined;
}

function breakOff(client: Socket, upstream: Socket | undefined, reset: boolean): void {
  if (reset) {
    upstream?.resetAndDestroy();
    client.resetAndDestroy();
    return;
  }
  upstream?.destroy();
  client.destroySoon();
}

async function listen(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  // One side may have said all it has to say while the other still speaks.
  const server = createServer({ allowHalfOpen: true }, onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    server.close();
    resolve();
  });
}
