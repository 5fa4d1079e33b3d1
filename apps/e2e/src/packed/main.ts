import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const root = join(import.meta.dirname, '../../../..');
const INSTALL_TIMEOUT_MS = 180_000;

const BROKER_PROGRAM = `
import { startBroker } from '@logloft/broker';
const broker = await startBroker({
  topics: [{ name: 'orders' }],
  remoteStorage: '@logloft/remote-storage-memory',
});
console.log('topics: ' + broker.topics.filter((name) => !name.startsWith('__')).join());
await broker.close();
`;

await runChecks('e2e:packed: the packages as npm would install them', checkPacked);

/** Packs every published package, installs the tarballs beside nothing of ours, and uses them. */
async function checkPacked({ checks, cleanup }: CheckRun): Promise<void> {
  const directory = await temporaryDirectory(cleanup);
  const folders = await publishedFolders();
  const packed = await checks.check(`${folders.length} packages are packed`, async () => {
    for (const folder of folders) await pack(folder, directory);
  });
  if (!packed) return;
  const installed = await checks.check('npm installs the tarballs together', async () => {
    await install(directory);
  });
  if (!installed) return;
  await checks.check('a program starts a broker from them, produces and closes', async () => {
    const { stdout } = await runScript(directory, BROKER_PROGRAM);
    if (stdout.trim() !== 'topics: orders') throw new Error(`it printed ${stdout}`);
  });
  await checks.check('a CommonJS program requires them', async () => {
    const text =
      "const { ManualClock } = require('@logloft/clock'); console.log(typeof ManualClock);";
    const { stdout } = await runCommand(process.execPath, ['-e', text], { directory });
    if (stdout.trim() !== 'function') throw new Error(`it printed ${stdout}`);
  });
  await checks.check('every entry point of every package can be imported', async () => {
    for (const specifier of await entryPoints(folders)) {
      await runScript(directory, `await import('${specifier}');`);
    }
  });
  await checks.check('the command says its version and its help', async () => {
    // The interpreter of this run starts it: the `node` of the search path may be an older one.
    const command = join(directory, 'node_modules/.bin/logloft');
    const { stdout } = await runCommand(process.execPath, [command, '--version'], { directory });
    if (!/\d+\.\d+\.\d+/.test(stdout)) throw new Error(`it printed ${stdout}`);
    await runCommand(process.execPath, [command, '--help'], { directory });
  });
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function publishedFolders(): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const group of ['packages', 'apps']) {
    for (const name of await readdir(join(root, group))) {
      const folder = join(root, group, name);
      if ((await manifestOf(folder)).private !== true) folders.push(folder);
    }
  }
  return folders;
}

async function pack(folder: string, directory: string): Promise<void> {
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  await runCommand(pnpm, ['pack', '--pack-destination', directory], { directory: folder });
}

async function install(directory: string): Promise<void> {
  const tarballs = (await readdir(directory)).filter((file) => file.endsWith('.tgz'));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'user', private: true }));
  await runCommand(
    'npm',
    ['install', '--no-audit', '--no-fund', ...tarballs.map((file) => `./${file}`)],
    { directory, timeoutMs: INSTALL_TIMEOUT_MS },
  );
}

async function entryPoints(folders: readonly string[]): Promise<readonly string[]> {
  const manifests = await Promise.all(folders.map(manifestOf));
  return manifests.flatMap(({ name, exports = {} }) =>
    Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => `${name}${path.slice(1)}`),
  );
}

async function runScript(directory: string, text: string): ReturnType<typeof runCommand> {
  return await runCommand(process.execPath, ['--input-type=module', '-e', text], { directory });
}
