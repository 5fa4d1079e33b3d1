import { mkdir, readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { CheckRun } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { installTarballs, type PublishedPackage, runProgram, withNeeds } from './projects.ts';

/** Those that somebody installs who has never heard of the broker. */
const ALONE = ['@logloft/clock', '@logloft/metrics', '@logloft/bufferpool', '@logloft/quota'];
/** The least version that is supported, and the newest of each line since. */
const NODES = ['22.15.0', '24', '26'];
const NODE_INSTALL_TIMEOUT_MS = 180_000;

/** What the checks of {@link checkAlone} need. */
export interface AloneOptions {
  readonly directory: string;
  readonly packages: ReadonlyMap<string, PublishedPackage>;
  readonly tarballs: ReadonlyMap<string, string>;
}

/** Each small package in a project of its own: nothing else is installed, its first example runs. */
export async function checkAlone({ checks }: CheckRun, options: AloneOptions): Promise<void> {
  const nodes = await Promise.all(NODES.map(nodeProgram));
  for (const name of ALONE) {
    const project = join(options.directory, name.slice(1).replace('/', '-'));
    const installed = await checks.check(`${name} installs alone`, async () => {
      await mkdir(project);
      await installWithNeeds(name, project, options);
    });
    if (!installed) continue;
    const { folder } = known(options.packages, name);
    const { program, output } = await firstExample(folder);
    for (const { version, path } of nodes) {
      await checks.check(`${name}: the first example of its README, Node ${version}`, async () => {
        const printed = await runProgram(project, program, path);
        if (output !== undefined && printed !== output) throw new Error(`it printed ${printed}`);
      });
    }
  }
}

async function installWithNeeds(
  name: string,
  project: string,
  { packages, tarballs }: AloneOptions,
): Promise<void> {
  const ours = withNeeds(name, packages);
  await installTarballs(
    project,
    [...ours].map((needed) => known(tarballs, needed)),
  );
  const installed = await readdir(join(project, 'node_modules'));
  const foreign = installed.filter((entry) => entry !== '@logloft' && !entry.startsWith('.'));
  if (foreign.length > 0) throw new Error(`it brings ${foreign.join(', ')}`);
}

interface NodeProgram {
  readonly version: string;
  readonly path: string;
}

async function nodeProgram(wanted: string): Promise<NodeProgram> {
  const args = ['-y', `node@${wanted}`, '-p', 'process.version + " " + process.execPath'];
  const { stdout } = await runCommand('npx', args, { timeoutMs: NODE_INSTALL_TIMEOUT_MS });
  const [version = '', path = ''] = stdout.trim().split(' ');
  return { version, path };
}

interface Example {
  readonly program: string;
  /** What the README says it prints; undefined when it does not say. */
  readonly output: string | undefined;
}

async function firstExample(folder: string): Promise<Example> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const [, source, output] = /^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/ms.exec(readme) ?? [];
  if (source === undefined) throw new Error(`${folder} has no example`);
  return { program: stripTypeScriptTypes(source), output: output?.trim() };
}

function known<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name);
  if (value === undefined) throw new Error(`${name} is not published`);
  return value;
}
