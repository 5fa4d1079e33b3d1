import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { freePort } from '../free-port.ts';
import { runCommand } from '../run-command.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const START_TIMEOUT_MS = 60_000;
const SCRIPT = join(import.meta.dirname, '../../../../../.ci/radosgw-up.sh');

/** Starts Ceph's S3 gateway with its data in memory. @returns its URL */
export async function startRadosgw(cleanup: Cleanup): Promise<string> {
  const directory = await temporaryDirectory(cleanup);
  const [port, monitorPort] = [await freePort(), await freePort()];
  // Also after a start that failed half-way: ending the script does not end what it started.
  cleanup.add(() => killDaemons(join(directory, 'run')));
  await runCommand('bash', [SCRIPT, directory, String(port), String(monitorPort)], {
    timeoutMs: START_TIMEOUT_MS,
  });
  return `http://127.0.0.1:${port}`;
}

async function killDaemons(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.pid'))) {
    const pid = Number(await readFile(join(directory, name), 'utf8'));
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
