import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { createObjectStore } from '@logloft/remote-storage-azure';
import type { Cleanup } from '../cleanup.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import type { StoreServer } from './store-server.ts';

const require = createRequire(import.meta.url);
const CONTAINER = 'loft';
const ACCOUNT = 'devstoreaccount1';
/** Public: every Azurite has it. */
const ACCOUNT_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const READY = /successfully listens? on http:\/\/127\.0\.0\.1:(\d+)/;
const START_TIMEOUT_MS = 60_000;

/** Azurite, in memory, in a process of its own. */
export async function startAzurite(cleanup: Cleanup): Promise<StoreServer> {
  const url = `http://127.0.0.1:${await startProcess(cleanup)}`;
  const credential = new StorageSharedKeyCredential(ACCOUNT, ACCOUNT_KEY);
  await new ContainerClient(`${url}/${ACCOUNT}/${CONTAINER}`, credential).create();
  return {
    flag: 'azure',
    title: 'Azure Blob Storage: Azurite',
    url,
    createObjectStore,
    optionsAt: (endpoint) => ({
      'azure.container.name': CONTAINER,
      'azure.account.name': ACCOUNT,
      'azure.account.key': ACCOUNT_KEY,
      'azure.endpoint.url': `${endpoint}/${ACCOUNT}`,
    }),
    smallParts: { options: { 'azure.upload.block.size': '102400' }, bytes: 700_000 },
    unfinishedUploads: undefined,
  };
}

async function startProcess(cleanup: Cleanup): Promise<number> {
  const directory = await temporaryDirectory(cleanup);
  const program = join(dirname(require.resolve('azurite/package.json')), 'dist/src/blob/main.js');
  const child = spawn(
    process.execPath,
    [
      ...[program, '--inMemoryPersistence', '--silent', '--disableTelemetry'],
      ...['--skipApiVersionCheck', '--blobHost', '127.0.0.1', '--blobPort', '0'],
    ],
    { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  cleanup.add(() => {
    child.kill('SIGKILL');
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(
    () => reject(new Error(`Azurite was not ready after ${START_TIMEOUT_MS} ms`)),
    START_TIMEOUT_MS,
  );
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`Azurite ended with ${code ?? signal}`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const port = READY.exec(line)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
