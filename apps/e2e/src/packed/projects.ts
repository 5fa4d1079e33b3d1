import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../harness/run-command.ts';

const root = join(import.meta.dirname, '../../../..');
const INSTALL_TIMEOUT_MS = 180_000;

/** A package of this repository that is published. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** Those of ours that it needs. */
  readonly needs: readonly string[];
  readonly entryPoints: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** All that are published, by name. */
export async function publishedPackages(): Promise<ReadonlyMap<string, PublishedPackage>> {
  const found = new Map<string, PublishedPackage>();
  for (const group of ['packages', 'apps']) {
    for (const folder of await readdir(join(root, group))) {
      const path = join(root, group, folder);
      const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as Manifest;
      if (manifest.private === true) continue;
      found.set(manifest.name, describe(manifest, path));
    }
  }
  return found;
}

function describe(manifest: Manifest, folder: string): PublishedPackage {
  const { name, exports = {}, dependencies = {} } = manifest;
  return {
    name,
    folder,
    needs: Object.keys(dependencies).filter((needed) => needed.startsWith('@logloft/')),
    entryPoints: Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => `${name}${path.slice(1)}`),
  };
}

/** Packs each, and says where the tarballs are, by the name of the package. */
export async function packAll(
  packages: Iterable<PublishedPackage>,
  directory: string,
): Promise<ReadonlyMap<string, string>> {
  const tarballs = new Map<string, string>();
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  for (const { name, folder } of packages) {
    const args = ['pack', '--json', '--pack-destination', directory];
    const { stdout } = await runCommand(pnpm, args, { directory: folder });
    const { filename } = JSON.parse(stdout) as { readonly filename: string };
    tarballs.set(name, filename);
  }
  return tarballs;
}

/** A package and all of ours below it, each once. */
export function withNeeds(
  name: string,
  packages: ReadonlyMap<string, PublishedPackage>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (current: string): void => {
    if (found.has(current)) return;
    found.add(current);
    for (const needed of packages.get(current)?.needs ?? []) visit(needed);
  };
  visit(name);
  return found;
}

/** Makes an empty project with these tarballs as its only dependencies. */
export async function installTarballs(
  directory: string,
  tarballs: Iterable<string>,
): Promise<void> {
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'user', private: true }));
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs];
  await runCommand('npm', args, { directory, timeoutMs: INSTALL_TIMEOUT_MS });
}

/** Runs a program in a project, as a user would who wrote it there. */
export async function runProgram(
  directory: string,
  text: string,
  node: string = process.execPath,
): Promise<string> {
  const file = join(directory, 'program.mjs');
  await writeFile(file, text);
  const { stdout } = await runCommand(node, [file], { directory });
  return stdout.trim();
}
