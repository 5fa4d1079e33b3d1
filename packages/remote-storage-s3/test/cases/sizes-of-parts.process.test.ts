import { memorySource, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import { seededBytes, seededSegment, testContext } from '@logloft/remote-storage-testkit';
import { expect, test } from 'vitest';
import { BUCKET, openStubStore } from '../support/stub-store.ts';

const MIB = 1024 * 1024;

// S35: an upload stopped after its first part when the parts were large.
test('an object in two parts of 80 MiB arrives whole (S35)', async () => {
  const { stub, store } = await openStubStore({ partBytes: 80 * MIB });
  const bytes = Buffer.alloc(81 * MIB, seededBytes(35, 1_000_003));
  await store.put('large', memorySource(bytes));
  const sizes = stub.requests.of('UploadPart').map(({ bytesIn }) => bytesIn);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([MIB, 80 * MIB]);
  expect(stub.object(BUCKET, 'large')?.bytes().equals(bytes)).toBe(true);
});

// S34: parts below 5 MiB were refused when the object was completed; and some stores want equal ones.
test.each([1, 1_000_000, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 17 * MIB + 3])(
  'all parts but the last have one size, which the store takes, for slices of %i bytes (S34)',
  async (sliceBytes) => {
    const { stub, store } = await openStubStore();
    const size = sliceBytes === 1 ? 1_000 : 17 * MIB + 3;
    const bytes = Buffer.alloc(size, seededBytes(34, 100_003));
    await store.put('odd', {
      size,
      async *read() {
        for (let at = 0; at < size; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
      },
    });
    const sizes = stub.requests.of('UploadPart').map(({ bytesIn }) => bytesIn);
    expect(new Set(sizes)).toEqual(new Set(size > 5 * MIB ? [5 * MIB, 2 * MIB + 3] : []));
    expect(stub.object(BUCKET, 'odd')?.bytes().equals(bytes)).toBe(true);
  },
);

// S42: a batch of deletions succeeded by half, and the catalogue pointed at what was gone.
test('a segment of which a batch deletes a half is told by its error, and the next deletion takes the rest (S42)', async () => {
  const { stub, store } = await openStubStore();
  const manager = new ObjectStoreRemoteStorage(store, { maxAttempts: 1 }, testContext(1));
  const { metadata, data } = seededSegment(42);
  await manager.copyLogSegmentData(metadata, data);
  const log = stub.objects(BUCKET).find(({ key }) => key.endsWith('.log'))?.key ?? '';
  const locked =
    `<DeleteResult><Error><Key>${log}</Key><Code>AccessDenied</Code>` +
    '<Message>locked</Message></Error></DeleteResult>';
  const halves = stub.failures.add({
    operation: 'DeleteObjects',
    times: 1,
    action: { kind: 'answer', status: 200, body: locked },
  });
  const deleting = manager.deleteLogSegmentData(metadata);
  await expect(deleting).rejects.toMatchObject({ kind: 'denied', key: log });
  expect(halves.fired).toBe(1);
  const reading = manager.fetchLogSegment(metadata, { start: 0 });
  await expect(reading).rejects.toMatchObject({ kind: 'not-found' });
  await manager.deleteLogSegmentData(metadata);
  expect(stub.objects(BUCKET)).toEqual([]);
});
