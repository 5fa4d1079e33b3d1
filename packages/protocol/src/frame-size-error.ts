import { ProtocolError } from './protocol-error.ts';

/**
 * The four size bytes in front of a frame are negative or above the limit. The stream cannot be
 * read any further, so the connection has to be closed.
 */
export class FrameSizeError extends ProtocolError {
  override readonly name = 'FrameSizeError';
  readonly code = 'LOGLOFT_PROTOCOL_FRAME_SIZE';
  /** The size that was announced, in bytes. */
  readonly announcedBytes: number;

  constructor(reason: string, announcedBytes: number) {
    super(reason);
    this.announcedBytes = announcedBytes;
  }
}
