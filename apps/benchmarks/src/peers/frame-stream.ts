import { connect } from 'node:net';
import { seededRandom } from '@logloft/clock';
import type { StreamLoad } from './load.ts';

const MAX_PIECE_BYTES = 256 * 1024;
const UINT32_VALUES = 2 ** 32;

/** Sends frames cut into pieces of random size, and waits until the other side has had them all. */
export async function streamFrames(load: StreamLoad): Promise<number> {
  const { frameBytes, frames } = load;
  const frame = Buffer.alloc(4 + frameBytes, 7);
  frame.writeInt32BE(frameBytes, 0);
  // Two frames behind one another hold a piece that begins anywhere in the first one.
  const reel = Buffer.concat(Array.from({ length: piecesReach(frame.length) }, () => frame));
  const random = seededRandom(load.seed);
  const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const total = frame.length * frames;
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('end', resolve);
    socket.resume();
    let sent = 0;
    const sendMore = (): void => {
      while (sent < total) {
        const wanted = 1 + Math.floor((random.nextUint32() / UINT32_VALUES) * MAX_PIECE_BYTES);
        const at = sent % frame.length;
        const piece = reel.subarray(at, at + Math.min(wanted, total - sent));
        sent += piece.length;
        if (!socket.write(piece)) {
          socket.once('drain', sendMore);
          return;
        }
      }
      socket.end();
    };
    sendMore();
  });
  return performance.now() - start;
}

/** Frames that cover one whole frame and the largest piece behind it. */
function piecesReach(frameLength: number): number {
  return 1 + Math.ceil(MAX_PIECE_BYTES / frameLength);
}
