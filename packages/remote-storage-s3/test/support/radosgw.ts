import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import type { TestServer } from './test-server.ts';

// The end-to-end checks start it by the same script.
const SCRIPT = join(import.meta.dirname, '../../../../.ci/radosgw-up.sh');
const START_MS = 60_000;

/**
 * Starts Ceph's S3 gateway with one monitor and one store in memory, on free ports of this machine.
 *
 * @throws when it is not installed (Debian: `ceph-mon ceph-osd radosgw`) or does not come up
 */
export async function startRadosgw(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'logloft-radosgw-'));
  const [gatewayPort, monitorPort] = [await freePort(), await freePort()];
  const stop = async (): Promise<void> => {
    killDaemons(join(directory, 'ceph', 'run'));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await promisify(execFile)(
      'bash',
      [SCRIPT, join(directory, 'ceph'), String(gatewayPort), String(monitorPort)],
      { timeout: START_MS },
    );
  } catch (error) {
    // The daemons are not children of the script, and outlive it.
    await stop();
    throw new Error('radosgw could not be started; are ceph-mon, ceph-osd and radosgw installed?', {
      cause: error,
    });
  }
  return {
    name: 'radosgw',
    endpoint: `http://127.0.0.1:${gatewayPort}`,
    credentials: { accessKeyId: 'testkey', secretAccessKey: 'testsecret' },
    // It honours the condition on PutObject, but not when parts are put together.
    conditionalWrites: false,
    stop,
  };
}

// A graceful stop takes seconds, and nothing is worth saving.
function killDaemons(directory: string): void {
  if (!existsSync(directory)) return;
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.pid'))) {
    const pid = Number(readFileSync(join(directory, file), 'utf8'));
    try {
      if (Number.isSafeInteger(pid) && pid > 1) process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
