import {
  BatchBuilder,
  BatchCursor,
  createBatchHeader,
  patchBaseOffset,
  readRecords,
  validateBatch,
} from '@logloft/records';

// A producer: two records in one compressed batch.
const builder = new BatchBuilder({ compression: 'zstd' });
builder.append({ timestamp: 1_700_000_000_000, key: 'ada', value: 'first' });
builder.append({ timestamp: 1_700_000_000_005, key: 'ada', value: null });
const batch = builder.build();

// A broker: checks the batch without decoding it, and gives it its place in the log.
validateBatch(batch, 0, batch.length, createBatchHeader());
patchBaseOffset(batch, 0, 42);

// A consumer: goes over the batches of a fetch response, and the records of each.
const cursor = new BatchCursor(batch);
while (cursor.next()) {
  for (const { offset, key, value } of readRecords(batch, cursor.position)) {
    console.log(offset, key?.toString(), value?.toString() ?? 'deleted');
  }
}
