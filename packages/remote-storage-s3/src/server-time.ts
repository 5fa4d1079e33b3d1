import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { type CallOptions, RemoteStorageError } from '@logloft/remote-storage';
import type { RequestContext } from './read/head-object.ts';
import { tuned } from './tuned-command.ts';

/** Wall-clock ms at the store, by the date of an answer, also of one that refuses. */
export async function serverTime(
  { client, calls, settings }: RequestContext,
  { signal }: CallOptions,
): Promise<number> {
  let date: string | undefined;
  const onDate = (found: string | undefined): void => {
    date = found ?? date;
  };
  const facts = { action: 'Asking for the time', permission: 's3:ListBucket' };
  const failure: unknown = await calls
    .once(facts, { signal }, (options) =>
      client.send(tuned(new HeadBucketCommand({ Bucket: settings.bucket }), { onDate }), options),
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  signal?.throwIfAborted();
  // biome-ignore lint/style/noRestrictedGlobals: reads a date, does not ask for the time
  const ms = Date.parse(date ?? '');
  if (!Number.isNaN(ms)) return ms;
  throw failure ?? new RemoteStorageError('unavailable', 'The store told no date');
}
