import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const KIT = 'packages/remote-storage-testkit';

interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** File that the block is an excerpt of, as the comment before it says. */
  readonly file: string | undefined;
}

function blocksOf(document: string): readonly CodeBlock[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const pattern = /(?:<!-- from: (\S+) -->\n\n?)?```(\w*)\n([\s\S]*?)```/g;
  return [...text.matchAll(pattern)].map(([, file, language = '', code = '']) => ({
    file,
    language,
    code,
  }));
}

function without(indented: string): string {
  return indented
    .split('\n')
    .map((line) => line.trimStart())
    .join('\n');
}

describe('docs/writing-a-plugin.md', () => {
  const blocks = blocksOf('docs/writing-a-plugin.md');

  test('holds the template whole: the plugin, its test and its manifest', () => {
    for (const name of ['my-plugin.js', 'my-plugin.test.js', 'package.json']) {
      const file = `${KIT}/template/${name}`;
      const whole = readFileSync(join(ROOT, file), 'utf8').trimEnd();
      const found = blocks.filter((block) => block.file === file);
      expect(
        found.some(({ code }) => code.trimEnd() === whole),
        `${file} as it is`,
      ).toBe(true);
    }
  });

  test('shows no code that is not in a file which is tested', () => {
    const code = blocks.filter(({ language }) => !['sh', 'text', 'properties'].includes(language));
    expect(code.length).toBeGreaterThan(4);
    for (const block of code) {
      expect(block.file, `the file of: ${block.code.slice(0, 80)}`).toBeDefined();
      const file = readFileSync(join(ROOT, block.file ?? ''), 'utf8');
      expect(without(file), `${block.file} has this excerpt`).toContain(without(block.code));
    }
  });

  test('names the options of the template as it reads them', () => {
    const text = readFileSync(join(ROOT, 'docs/writing-a-plugin.md'), 'utf8');
    const plugin = readFileSync(join(ROOT, KIT, 'template/my-plugin.js'), 'utf8');
    const names = [...text.matchAll(/rsm\.config\.storage\.([\w.]+)=/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(plugin).toContain(`{ ${name}: textOption() }`);
  });
});
