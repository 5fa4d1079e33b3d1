// Takes frames and drops them: with the broker's own receiver, or the bare bytes. A process of its own.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type FramePool, FrameReceiver, ReceiveMemory, readSocket } from '@logloft/broker/network';
import { BufferPool } from '@logloft/bufferpool';
import { systemClock } from '@logloft/clock';
import { serveCommands } from '../harness/command.ts';
import { ownUsage, type Usage } from '../harness/usage.ts';
import { readInto } from './read-into.ts';

const KIB = 1024;
const RAW_READ_BYTES = 64 * KIB;
const MAX_FRAME_BYTES = 32 * KIB * KIB;
const POOL_BYTES = 64 * KIB * KIB;

/** What the sink does with its input. */
export type SinkMode = 'frames' | 'raw';

const memory = new ReceiveMemory({
  first: sharePool([20 * KIB, 72 * KIB]),
  large: sharePool([288 * KIB, 1088 * KIB]),
});
const rawBuffer = Buffer.allocUnsafeSlow(RAW_READ_BYTES);
let server: Server | undefined;
let frames = 0;

const commands = {
  async start(mode: SinkMode): Promise<number> {
    server = createServer(
      { pauseOnConnect: true, allowHalfOpen: true, noDelay: true },
      mode === 'frames' ? receiveFrames : dropBytes,
    );
    const listening = server.listen(0, '127.0.0.1');
    await new Promise((resolve) => listening.once('listening', resolve));
    return (listening.address() as AddressInfo).port;
  },
  usage(): Usage {
    return ownUsage();
  },
  /** Whole frames so far. */
  frames(): number {
    return frames;
  },
};

/** What the sink can be told. */
export type FrameSinkCommands = typeof commands;

serveCommands(commands, {
  onEnd: () => {
    server?.close();
  },
});

function receiveFrames(accepted: Socket): void {
  const receiver = new FrameReceiver(
    memory,
    { maxFrameBytes: MAX_FRAME_BYTES },
    {
      onFrame: (frame) => {
        frames += 1;
        frame.release();
        return true;
      },
      onMalformed: (reason) => reader.socket.destroy(new Error(reason)),
      onReadable: () => reader.resume(),
    },
  );
  const reader = readSocket(accepted, {
    nextBuffer: () => receiver.nextBuffer(),
    accept: (input, length) => receiver.accept(input, length),
  });
  endWithPeer(reader.socket);
}

function dropBytes(accepted: Socket): void {
  endWithPeer(readInto(accepted, { nextBuffer: () => rawBuffer, onBytes: () => undefined }));
}

function endWithPeer(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.end());
}

/** One of the two shares of the receive memory, as the broker has them. */
function sharePool([poolableBytes = KIB, ...sizeClasses]: readonly number[]): FramePool {
  const pool = new BufferPool(
    { totalBytes: POOL_BYTES, poolableBytes, sizeClasses },
    { clock: systemClock },
  );
  return {
    totalBytes: POOL_BYTES,
    tryAllocate: (size) => pool.tryAllocate(size),
    allocate: (size, options) => pool.allocate(size, options),
    deallocate: (buffer) => pool.deallocate(buffer),
  };
}
