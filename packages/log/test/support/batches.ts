import { BatchBuilder, buildTransactionMarker } from '@logloft/records';

export interface TestBatch {
  /** Records in the batch. Default 1. */
  readonly count?: number;
  /** Of the first record; each next one is 1 ms later. Default 1,700,000,000,000. */
  readonly timestamp?: number;
  /** Bytes of each value. Default 10. */
  readonly valueBytes?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  /** First byte of the values, to tell batches apart. */
  readonly tag?: number;
}

/** A batch as a client would send it. */
export function testBatch(options: TestBatch = {}): Buffer {
  const { count = 1, timestamp = 1_700_000_000_000, valueBytes = 10, tag = 0 } = options;
  const builder = new BatchBuilder({
    producerId: options.producerId,
    producerEpoch: options.producerEpoch,
    baseSequence: options.baseSequence,
    isTransactional: options.isTransactional,
  });
  for (let i = 0; i < count; i += 1) {
    builder.append({ timestamp: timestamp + i, value: Buffer.alloc(valueBytes, tag) });
  }
  return builder.build();
}

/** A transaction marker of producer 7 by default. */
export function testMarker(outcome: 'commit' | 'abort', producerId = 7, producerEpoch = 0): Buffer {
  return buildTransactionMarker({
    outcome,
    producerId,
    producerEpoch,
    coordinatorEpoch: 9,
    timestamp: 1_700_000_000_000,
  });
}
