import { BufferPoolError } from './errors.ts';

/** The state of affairs at the moment when an allocation ran out of time. All sizes in bytes. */
export interface ExhaustedFacts {
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  readonly totalBytes: number;
  /** What was free, without what the failing waiter had gathered itself and now gives back. */
  readonly availableBytes: number;
  readonly poolableBytes: number;
  /** Waiters in the queue, the failing one among them. */
  readonly waiters: number;
}

/** No memory became free in time: Kafka's `BufferExhaustedException`. Code `LOGLOFT_POOL_EXHAUSTED`. */
export class BufferExhaustedError extends BufferPoolError implements ExhaustedFacts {
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  readonly totalBytes: number;
  readonly availableBytes: number;
  readonly poolableBytes: number;
  readonly waiters: number;

  constructor(facts: ExhaustedFacts) {
    super(
      'exhausted',
      `${facts.requestedBytes} bytes were not free within maxBlockMs = ${facts.maxBlockMs}: ` +
        `${facts.availableBytes} of ${facts.totalBytes} bytes are available, ` +
        `${facts.waiters} allocations are waiting. ` +
        'Release buffers sooner, wait longer, or raise totalBytes.',
    );
    this.name = 'BufferExhaustedError';
    this.requestedBytes = facts.requestedBytes;
    this.maxBlockMs = facts.maxBlockMs;
    this.totalBytes = facts.totalBytes;
    this.availableBytes = facts.availableBytes;
    this.poolableBytes = facts.poolableBytes;
    this.waiters = facts.waiters;
  }
}
