import type { ByteLimit } from '../byte-limit.ts';
import type { BytePacer } from '../byte-pacer.ts';
import type { ShareOptions } from '../share.ts';

/** How a stream is held to a rate. */
export interface PacedOptions extends ShareOptions {
  /**
   * What the streams that share it are held to together. Each stream is a child of it, so that those
   * that wait get bytes by priority and weight, whatever the sizes of their chunks.
   */
  readonly pacer: BytePacer;
  /** Bytes per second for this stream alone. Default: unlimited. */
  readonly limit?: ByteLimit | number | undefined;
  /** Ends the stream with its reason. */
  readonly signal?: AbortSignal | undefined;
}
