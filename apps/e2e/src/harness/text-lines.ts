import { readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEXT_FILE = /\.(md|ts|js|cjs|mjs|json|txt)$|^(LICENSE|README|CHANGELOG)$/;
const MAX_LINE_BYTES = 16 * 1024;

/**
 * Makes a file of real text: lines of the files of the installed dependencies, in a fixed order, from
 * the start again where they do not suffice. No line is empty, since kcat does not send those.
 *
 * @returns bytes of the file
 */
export async function writeTextLines(file: string, lineCount: number): Promise<number> {
  const lines: string[] = [];
  for await (const text of dependencyTexts()) {
    const usable = text
      .split('\n')
      .filter((line) => line !== '' && !line.includes('\0') && line.length <= MAX_LINE_BYTES / 4);
    lines.push(...usable.slice(0, lineCount - lines.length));
    if (lines.length === lineCount) break;
  }
  if (lines.length === 0) throw new Error('no text was found among the installed dependencies');
  for (let index = 0; lines.length < lineCount; index += 1) lines.push(lines[index] ?? '');
  const text = `${lines.join('\n')}\n`;
  await writeFile(file, text);
  return Buffer.byteLength(text);
}

async function* dependencyTexts(): AsyncGenerator<string, void, void> {
  for (const directory of ['kafkajs', '@platformatic/kafka', 'vitest', 'fast-check']) {
    const root = await realpath(join(import.meta.dirname, '../../node_modules', directory));
    const names = await readdir(root, { recursive: true });
    for (const name of names.toSorted()) {
      if (!TEXT_FILE.test(name.slice(name.lastIndexOf('/') + 1))) continue;
      // A directory may be named like a file.
      const text = await readFile(join(root, name), 'utf8').catch(() => undefined);
      if (text !== undefined) yield text;
    }
  }
}
