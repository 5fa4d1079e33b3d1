import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { startS3StubServer } from '../harness/stores/s3-server.ts';
import { type StoreServer, storeProperties } from '../harness/stores/store-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { checkAlone } from './alone.ts';
import { installTarballs, packAll, publishedPackages, runProgram, withNeeds } from './projects.ts';

const BROKER_PROGRAM = `
import { startBroker } from '@logloft/broker';
const broker = await startBroker({
  topics: [{ name: 'orders' }],
  remoteStorage: '@logloft/remote-storage-memory',
});
console.log('topics: ' + broker.topics.filter((name) => !name.startsWith('__')).join());
await broker.close();
`;
const COMMON_JS_PROGRAM =
  "const { ManualClock } = require('@logloft/clock'); console.log(typeof ManualClock);";

await runChecks('e2e:packed: the packages as npm would install them', checkPacked);

/** Packs every published package, installs the tarballs beside nothing of ours, and uses them. */
async function checkPacked(run: CheckRun): Promise<void> {
  const { checks, cleanup } = run;
  const directory = await temporaryDirectory(cleanup);
  const packages = await publishedPackages();
  let tarballs: ReadonlyMap<string, string> = new Map();
  const packed = await checks.check(`${packages.size} packages are packed`, async () => {
    tarballs = await packAll(packages.values(), directory);
  });
  if (!packed) return;
  await checkAlone(run, { directory, packages, tarballs });
  const project = join(directory, 'everything');
  const installed = await checks.check('npm installs the tarballs together', async () => {
    await mkdir(project);
    await installTarballs(project, tarballs.values());
  });
  if (!installed) return;
  await checks.check('a program starts a broker from them and closes it', async () => {
    expectOutput(await runProgram(project, BROKER_PROGRAM), 'topics: orders');
  });
  await checks.check('a CommonJS program requires them', async () => {
    const args = ['-e', COMMON_JS_PROGRAM];
    const { stdout } = await runCommand(process.execPath, args, { directory: project });
    expectOutput(stdout.trim(), 'function');
  });
  await checks.check('every entry point of every package can be imported', async () => {
    for (const { entryPoints } of packages.values()) {
      for (const specifier of entryPoints) await runProgram(project, `import '${specifier}';`);
    }
  });
  await checks.check('the command says its version and its help', async () => {
    // The interpreter of this run starts it: the `node` of the search path may be an older one.
    const command = join(project, 'node_modules/.bin/logloft');
    const { stdout } = await runCommand(process.execPath, [command, '--version']);
    if (!/\d+\.\d+\.\d+/.test(stdout)) throw new Error(`it printed ${stdout}`);
    await runCommand(process.execPath, [command, '--help']);
  });
  await checks.check(
    'the command finds an S3 store fit, through the adapter that is installed',
    async () => {
      const server = await startS3StubServer(cleanup);
      const { stdout } = await runCommand(process.execPath, doctorArguments(project, server));
      if (!stdout.includes('fit for tiering')) throw new Error(stdout);
    },
  );
  await checks.check('without an adapter the command says what to install', async () => {
    const alone = join(directory, 'command');
    await mkdir(alone);
    const needed = [...withNeeds('logloft', packages)].map((name) => tarballs.get(name) ?? '');
    await installTarballs(alone, needed);
    const server = await startS3StubServer(cleanup);
    const failure: unknown = await runCommand(
      process.execPath,
      doctorArguments(alone, server),
    ).then(
      ({ stdout }) => stdout,
      (error: unknown) => error,
    );
    const hint = 'npm install @logloft/remote-storage-s3';
    if (!(failure instanceof Error) || !failure.message.includes(hint)) throw failure;
    return hint;
  });
}

function doctorArguments(project: string, server: StoreServer): string[] {
  const properties = Object.entries(storeProperties(server));
  return [
    join(project, 'node_modules/.bin/logloft'),
    ...['doctor', '--remote-storage', server.flag],
    ...properties.flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
}

function expectOutput(printed: string, expected: string): void {
  if (printed !== expected) throw new Error(`it printed ${printed}`);
}
