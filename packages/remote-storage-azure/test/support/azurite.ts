import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The account that every Azurite has; its key is public. */
export const ACCOUNT = 'devstoreaccount1';
export const ACCOUNT_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** A server of Azure Blob Storage on this machine, in memory. */
export interface Azurite {
  readonly port: number;
  /** URL of the account. */
  readonly endpoint: string;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

const READY = /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/;
const STOP_MS = 3_000;

/** Starts one on a free port; resolves when it says that it listens. */
export async function startAzurite(): Promise<Azurite> {
  const folder = dirname(require.resolve('azurite/package.json'));
  const cwd = await mkdtemp(join(tmpdir(), 'logloft-azurite-'));
  const child = spawn(
    process.execPath,
    [
      join(folder, 'dist/src/blob/main.js'),
      '--inMemoryPersistence',
      '--silent',
      '--disableTelemetry',
      '--skipApiVersionCheck',
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      '0',
    ],
    { cwd, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const close = async (): Promise<void> => {
    await stop(child);
    await rm(cwd, { recursive: true, force: true });
  };
  try {
    const port = await listening(child);
    return { port, endpoint: `http://127.0.0.1:${port}/${ACCOUNT}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: Buffer): void => {
      said += text;
      const port = READY.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Azurite ended with ${code}: ${said}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
