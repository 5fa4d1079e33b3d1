import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@logloft/clock';
import { freePort } from './free-port.ts';
import type { TestServer } from './test-server.ts';

const BINARY = process.env['VERSITYGW'] ?? 'versitygw';
const KEYS = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };
const LONG_NAME = 'versitygw keeps keys as paths of files, with at most 255 bytes between slashes';
const LIMITS: ReadonlyMap<string, string> = new Map([
  ['keys are taken as they are, also odd ones', LONG_NAME],
  ['what the catalogue is to keep is short enough for it', LONG_NAME],
  ['partitions and topics with like names are told apart, and odd names are ordinary', LONG_NAME],
  [
    'deleting the last object of a place does not disturb who writes there at the same time',
    'versitygw removes directories that become empty under whoever writes into them',
  ],
]);
const START_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/**
 * Starts Versity's S3 gateway over a directory; the binary is on the PATH, or where `VERSITYGW` says.
 *
 * @throws when it is not there or does not answer
 */
export async function startVersitygw(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'logloft-versitygw-'));
  const port = await freePort();
  const child = spawn(
    BINARY,
    [
      '--access',
      KEYS.accessKeyId,
      '--secret',
      KEYS.secretAccessKey,
      '--port',
      `127.0.0.1:${port}`,
      '--quiet',
      'posix',
      directory,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stop = async (): Promise<void> => {
    await ended(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await answers(child, port);
  } catch (error) {
    await stop();
    throw new Error('versitygw could not be started; is it on the PATH?', { cause: error });
  }
  return {
    name: 'versitygw',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: KEYS,
    // Over a directory it looks first and writes then, so that two may get one key.
    conditionalWrites: false,
    limits: LIMITS,
    stop,
  };
}

async function answers(child: ChildProcess, port: number): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`versitygw ended with ${code}`)));
  });
  const until = systemClock.monotonic() + START_MS;
  while (systemClock.monotonic() < until) {
    if (await Promise.race([isListening(port), failed])) return;
    await new Promise<void>((resolve) => {
      systemClock.setTimer(LOOK_AGAIN_MS, resolve);
    });
  }
  throw new Error(`versitygw does not listen after ${START_MS} ms`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}
