import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { systemClock } from '@logloft/clock';
import { openRemoteStorage, type PluginModule } from '@logloft/remote-storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contextWith, seededSegment } from '../src/index.ts';

const KIT = join(import.meta.dirname, '..');
const TEMPLATE = join(KIT, 'template');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logloft-template-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The template as its author has it: a package of its own, with ours installed. */
async function install(): Promise<void> {
  await cp(TEMPLATE, folder, { recursive: true });
  const scope = join(folder, 'node_modules/@logloft');
  await mkdir(scope, { recursive: true });
  for (const name of ['remote-storage', 'remote-storage-testkit']) {
    await symlink(join(KIT, '..', name), join(scope, name), 'dir');
  }
}

test('the template passes both suites, under the test command of its own package', async () => {
  await install();
  const options = { cwd: folder, maxBuffer: 10_000_000 };
  const args = ['--experimental-strip-types', '--conditions=@logloft/source'];
  const run = promisify(execFile)(
    process.execPath,
    [...args, '--test', '--test-reporter=tap'],
    options,
  );
  const { stdout } = await run;
  const count = (what: string): number =>
    Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1]);
  expect(count('fail')).toBe(0);
  expect(count('pass')).toBeGreaterThan(80);
  const guide = await readFile(join(KIT, '../../docs/writing-a-plugin.md'), 'utf8');
  const shown = /```text\n([\s\S]*?)```/.exec(guide)?.[1]?.trimEnd().split('\n') ?? [];
  expect(shown).toHaveLength(2);
  const printed = stdout.split('\n').map((line) => line.replace(/^# /, ''));
  for (const line of shown) expect(printed).toContain(line);
});

const LOGLOFT = join(KIT, '../../apps/demo-broker/dist/main.js');
const STORE = ['--remote-storage', './my-plugin.js', '--set'];

test('logloft starts with the template by its path, and stops cleanly', async () => {
  await install();
  const args = [...STORE, 'rsm.config.storage.file=loft.db', '--port', '0', '--http', 'off'];
  const child = spawn(process.execPath, [LOGLOFT, ...args, '--json'], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(JSON.parse(String(line))).toMatchObject({ event: 'ready', remoteStorage: 'sqlite' });
    child.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  expect(existsSync(join(folder, 'loft.db'))).toBe(true);
});

test('logloft does not start with a mistyped option of the template', async () => {
  await install();
  const args = [LOGLOFT, ...STORE, 'rsm.config.storage.fil=loft.db', '--port', '0'];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder });
  await expect(run).rejects.toThrow(/Unknown option "fil". Did you mean "file"/);
});

test('the template is a complete plugin of under 100 lines, comments included', async () => {
  const source = await readFile(join(TEMPLATE, 'my-plugin.js'), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThan(100);
});

async function openTemplate(file: string): Promise<ReturnType<typeof openRemoteStorage>> {
  const module = (await import(join(TEMPLATE, 'my-plugin.js'))) as PluginModule;
  // Metrics are for plugins that measure; this one does not.
  const context = contextWith(systemClock, 1) as unknown as Parameters<typeof openRemoteStorage>[2];
  return await openRemoteStorage(module, { 'storage.file': file, 'chunk.size': '4096' }, context);
}

test('the template is opened by its options as the broker does', async () => {
  const file = join(folder, 'loft.db');
  const { metadata, data, parts } = seededSegment(1);
  const storage = await openTemplate(file);
  await storage.copyLogSegmentData(metadata, data);
  await storage[Symbol.asyncDispose]();
  const again = await openTemplate(file);
  expect(Buffer.from(await again.fetchIndex(metadata, 'OFFSET'))).toEqual(
    Buffer.from(parts.offsetIndex),
  );
  await again[Symbol.asyncDispose]();
});

test('what a killed process left in the file goes when it is opened, and a second process is refused', async () => {
  const file = join(folder, 'loft.db');
  await (await openTemplate(file))[Symbol.asyncDispose]();
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO pieces VALUES ('left', 0, x'00')");
  database.close();
  const storage = await openTemplate(file);
  await expect(openTemplate(file)).rejects.toThrow(/locked/);
  await storage[Symbol.asyncDispose]();
  const after = new DatabaseSync(file);
  expect(after.prepare('SELECT count(*) AS n FROM pieces').get()).toEqual({ n: 0 });
  after.close();
});
