import { Socket } from 'node:net';

/** Who takes the bytes that arrive on a socket. */
export interface SocketReaderSink {
  /** Where the next read goes. */
  nextBuffer(): Buffer;
  /** Takes bytes; `false` stops reading until {@link SocketReader.resume}. */
  accept(input: Buffer, length: number): boolean;
}

/** A socket whose bytes go to a {@link SocketReaderSink}. */
export interface SocketReader {
  readonly socket: Socket;
  /** Reads on after the sink said `false`. */
  resume(): void;
  /** Stops reading. */
  pause(): void;
}

interface SocketWithHandle {
  _handle?: unknown;
}

// `onread` is an option of the constructor of a socket that is also given a handle; the types know
// it only for outgoing connections.
interface OnReadSocketOptions {
  readonly handle: unknown;
  readonly allowHalfOpen: boolean;
  readonly onread: {
    readonly buffer: () => Buffer;
    readonly callback: (length: number, buffer: Buffer) => boolean;
  };
}

/**
 * Reads an accepted connection into buffers of the sink's choice.
 *
 * Node offers that (`onread`) for outgoing connections only. An accepted socket can be re-made
 * around its handle, which leans on one private field; where the field is missing, the connection is
 * read by `data` events instead, at the price of a copy. Accept with `pauseOnConnect`, so that
 * nothing is read before the sink stands, and with `allowHalfOpen`.
 */
export function readSocket(accepted: Socket, sink: SocketReaderSink): SocketReader {
  return readsIntoBuffers ? readIntoBuffers(accepted, sink) : readByEvents(accepted, sink);
}

/** Whether this Node lets an accepted socket read into buffers of our choice; told at start-up. */
export const readsIntoBuffers: boolean = supportsHandles();

function supportsHandles(): boolean {
  try {
    // A socket that is not connected has the field too, with null in it.
    return '_handle' in new Socket();
  } catch {
    return false;
  }
}

function readIntoBuffers(accepted: Socket, sink: SocketReaderSink): SocketReader {
  const holder = accepted as SocketWithHandle;
  const handle = holder._handle;
  if (handle === null || handle === undefined) return readByEvents(accepted, sink);
  holder._handle = null;
  const options: OnReadSocketOptions = {
    handle,
    // The connection decides when its side ends: answers may still be on their way.
    allowHalfOpen: true,
    onread: {
      buffer: () => sink.nextBuffer(),
      callback: (length, buffer) => sink.accept(buffer, length),
    },
  };
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  // Keeps the server's count of connections right.
  socket.once('close', () => accepted.destroy());
  socket.read(0);
  return { socket, resume: () => socket.resume(), pause: () => socket.pause() };
}

function readByEvents(socket: Socket, sink: SocketReaderSink): SocketReader {
  socket.on('data', (chunk: Buffer) => {
    if (!sink.accept(chunk, chunk.length)) socket.pause();
  });
  socket.resume();
  return { socket, resume: () => socket.resume(), pause: () => socket.pause() };
}
