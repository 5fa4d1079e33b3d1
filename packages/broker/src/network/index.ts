export type {
  FrameReceiverEvents,
  FrameReceiverOptions,
  ReceivedFrame,
} from './frame-receiver.ts';
export { FrameReceiver } from './frame-receiver.ts';
export type { FramePool, ReceivePools } from './receive-memory.ts';
export { FrameBuffer, ReceiveMemory } from './receive-memory.ts';
export type { SocketReader, SocketReaderSink } from './socket-reader.ts';
export { readSocket, readsIntoBuffers } from './socket-reader.ts';
