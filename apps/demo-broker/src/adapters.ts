import type { ObjectStoreFactory, PluginModule } from '@logloft/remote-storage';
import { UsageError } from './command-line/usage-error.ts';

interface Adapter {
  /** The package that whoever wants it installs beside the command. */
  readonly packageName: string;
  readonly load: () => Promise<{ readonly createObjectStore: ObjectStoreFactory }>;
}

const ADAPTERS: ReadonlyMap<string, Adapter> = new Map([
  [
    's3',
    {
      packageName: '@logloft/remote-storage-s3',
      load: () => import('@logloft/remote-storage-s3'),
    },
  ],
  [
    'gcs',
    {
      packageName: '@logloft/remote-storage-gcs',
      load: () => import('@logloft/remote-storage-gcs'),
    },
  ],
  [
    'azure',
    {
      packageName: '@logloft/remote-storage-azure',
      load: () => import('@logloft/remote-storage-azure'),
    },
  ],
]);

/**
 * The plugin that a word of `--remote-storage` stands for, imported when it is opened; `undefined` for
 * any other word.
 */
export function adapterNamed(name: string): PluginModule | undefined {
  const adapter = ADAPTERS.get(name);
  if (adapter === undefined) return undefined;
  return {
    createObjectStore: async (options, context) => {
      const { createObjectStore } = await loadAdapter(name, adapter);
      return await createObjectStore(options, context);
    },
  };
}

async function loadAdapter(
  name: string,
  { packageName, load }: Adapter,
): ReturnType<Adapter['load']> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packageName)) throw error;
    throw new UsageError(
      `--remote-storage ${name} needs a package that is not installed. Install it with: npm install ${packageName}`,
      { cause: error },
    );
  }
}

/** Only the adapter itself: one of its own dependencies that is missing is another matter. */
function isMissing(error: unknown, packageName: string): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${packageName}'`);
}
