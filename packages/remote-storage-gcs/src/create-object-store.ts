import type { ObjectStore, PluginOptions } from '@logloft/remote-storage';
import { type AuthHeaders, NO_AUTH } from './auth/auth-headers.ts';
import { authFromJson, storageClient } from './auth/credentials.ts';
import { FileAuth } from './auth/file-auth.ts';
import { GcsObjectStore, type GcsObjectStoreContext } from './gcs-object-store.ts';
import { assertBucketName, resolveTuning } from './gcs-settings.ts';
import { type PluginSettings, readPluginSettings } from './plugin-settings.ts';

/**
 * The plugin's factory. Its options are those of the README (as properties: `rsm.config.storage.`
 * before each), with the names of Aiven's plugin where it has one: `gcs.bucket.name`, and one of
 * `gcs.credentials.default`, `gcs.credentials.json`, `gcs.credentials.path`, are required.
 *
 * @throws RemoteStorageError `invalid-configuration` for an unknown or missing option, a value out of
 *   range, or credentials that cannot be used
 */
export async function createObjectStore(
  options: PluginOptions,
  context: GcsObjectStoreContext,
): Promise<ObjectStore> {
  const settings = readPluginSettings(options);
  const { bucket, endpoint, tuning } = settings;
  assertBucketName(bucket);
  const auth = await authFor(settings, context);
  const client = storageClient({ endpoint });
  return new GcsObjectStore({ ...tuning, bucket, client, auth }, context);
}

// `undefined` for those that the SDK finds by itself.
async function authFor(
  { credentials, endpoint, tuning }: PluginSettings,
  { clock, logger }: GcsObjectStoreContext,
): Promise<AuthHeaders | undefined> {
  const { tokenTimeoutMs } = resolveTuning(tuning);
  switch (credentials.kind) {
    case 'default':
      return undefined;
    case 'none':
      return NO_AUTH;
    case 'json':
      return authFromJson(credentials.text, 'Option "gcs.credentials.json"', {
        clock,
        tokenTimeoutMs,
        endpoint,
      });
    case 'path': {
      const { path } = credentials;
      return await FileAuth.open({ path, logger, clock, tokenTimeoutMs, endpoint });
    }
  }
}
