import { expect, test } from 'vitest';
import { type S3StubOptions, startS3Stub } from '../../src/s3/index.ts';
import { resolveS3StubOptions } from '../../src/s3/s3-stub-options.ts';

test('undefined is as good as left out', () => {
  const none = resolveS3StubOptions({});
  expect(resolveS3StubOptions({ region: undefined, port: undefined })).toEqual(none);
  expect(none).toMatchObject({ port: 0, region: 'us-east-1', minPartBytes: 5 * 1024 * 1024 });
});

test.each([
  [{ port: 65_536 }, 'port takes an integer in [0, 65535], got 65536'],
  [{ port: 1.5 }, 'port takes'],
  [{ maxBytes: -1 }, 'maxBytes takes'],
  [{ maxLoggedRequests: 0 }, 'maxLoggedRequests takes'],
  [{ credentials: [] }, 'credentials takes at least one user'],
  [{ checksums: 'sometimes' as 'verify' }, 'checksums takes one of verify, ignore, refuse'],
  [{ conditionalWrites: 'etag' as 'none' }, 'conditionalWrites takes one of atomic, none'],
  [{ buckets: ['No'] }, 'The specified bucket is not valid: No'],
  [{ buckets: ['twice', 'twice'] }, 'already own it'],
] satisfies readonly [S3StubOptions, string][])('%j is refused', async (options, message) => {
  await expect(startS3Stub(options)).rejects.toThrow(message);
});
