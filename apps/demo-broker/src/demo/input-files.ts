import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../command-line/usage-error.ts';

/** A file to send. */
export interface InputFile {
  /** Different for every file: the path below the input, with `/`. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** What is sent. */
export interface Input {
  /** Where it comes from. */
  readonly path: string;
  readonly files: readonly InputFile[];
  readonly bytes: number;
}

/** What to gather. */
export interface InputRequest {
  /** File or directory; `undefined`: the installed dependencies. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
}

/** One file must not be the whole story. */
const MAX_FILE_BYTES = 1024 * 1024;
const TEXT_FILE =
  /\.(?:md|txt|ts|mts|cts|js|mjs|cjs|json|ya?ml|css|html|map)$|^(?:LICENSE|README)$/i;

/**
 * Gathers files up to a size, in the order of their names. Of the installed dependencies these are text
 * files of at most 1 MiB, sent again under another name where there are few; of a path of one's own it is
 * everything, the last file cut where the size is reached.
 *
 * @throws UsageError when there is nothing to send
 */
export async function gatherInput({ path, sizeBytes }: InputRequest): Promise<Input> {
  const root = path ?? installedDependencies();
  const isOwn = path !== undefined;
  const files: InputFile[] = [];
  let bytes = 0;
  for await (const file of isOwn ? ownFiles(root) : textFiles(root)) {
    const wanted = file.bytes.subarray(0, sizeBytes - bytes);
    files.push({ name: file.name, bytes: wanted });
    bytes += wanted.byteLength;
    if (bytes >= sizeBytes) break;
  }
  if (bytes === 0) throw new UsageError(`There is nothing to send in ${root}.`);
  if (!isOwn) bytes = repeat(files, { bytes, sizeBytes });
  return { path: root, files, bytes };
}

/** The outermost `node_modules` that this program's dependencies are in. */
function installedDependencies(): string {
  const parts = fileURLToPath(import.meta.resolve('kafkajs')).split(sep);
  return parts.slice(0, parts.indexOf('node_modules') + 1).join(sep);
}

async function* ownFiles(root: string): AsyncGenerator<InputFile> {
  const found = await stat(root).catch((error: unknown) => {
    throw new UsageError(`--input cannot be read: ${error instanceof Error ? error.message : ''}`);
  });
  if (found.isFile()) {
    yield { name: basename(root), bytes: await readFile(root) };
    return;
  }
  for await (const path of walk(root)) {
    const bytes = await readFile(path);
    if (bytes.byteLength > 0) yield { name: nameOf(root, path), bytes };
  }
}

async function* textFiles(root: string): AsyncGenerator<InputFile> {
  for await (const path of walk(root)) {
    if (!TEXT_FILE.test(basename(path))) continue;
    const { size } = await stat(path);
    if (size === 0 || size > MAX_FILE_BYTES) continue;
    const bytes = await readFile(path);
    if (bytes.byteLength > 0 && !bytes.includes(0)) yield { name: nameOf(root, path), bytes };
  }
}

/** All files below a directory, sorted; links are not followed, so none is met twice. */
async function* walk(directory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

function nameOf(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** Adds the files again until the size is reached. */
function repeat(files: InputFile[], sizes: { bytes: number; sizeBytes: number }): number {
  let { bytes } = sizes;
  const once = [...files];
  for (let round = 2; bytes < sizes.sizeBytes; round += 1) {
    for (const file of once) {
      if (bytes >= sizes.sizeBytes) break;
      files.push({ name: `${file.name} (${round})`, bytes: file.bytes });
      bytes += file.bytes.byteLength;
    }
  }
  return bytes;
}
