import { Socket } from 'node:net';

/** Who takes the bytes of a socket. */
export interface ByteSink {
  /** Where the next read goes. */
  nextBuffer(): Buffer;
  onBytes(length: number, buffer: Buffer): void;
}

interface SocketWithHandle {
  _handle?: unknown;
}

/**
 * Reads an accepted connection, which must be paused, into buffers of the sink's choice. The peers do
 * it by themselves rather than with the broker's code, so that they stay a reference for it.
 */
export function readInto(accepted: Socket, sink: ByteSink): Socket {
  const holder = accepted as SocketWithHandle;
  const handle = holder._handle;
  holder._handle = null;
  const options = {
    handle,
    allowHalfOpen: true,
    onread: {
      buffer: () => sink.nextBuffer(),
      callback: (length: number, buffer: Buffer) => {
        sink.onBytes(length, buffer);
        return true;
      },
    },
  };
  // The types know `onread` for outgoing connections only.
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  socket.once('close', () => accepted.destroy());
  socket.read(0);
  return socket;
}
