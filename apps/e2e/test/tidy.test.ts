import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';

// What the linter cannot know. The tables here are those of docs/architecture.md.

const root = join(import.meta.dirname, '../../..');

/** Which package may import which, by short name; arrows point down only. */
const ARROWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['clock', []],
  ['metrics', ['clock']],
  ['bufferpool', ['clock', 'metrics']],
  ['quota', ['clock', 'metrics']],
  ['records', []],
  ['protocol', []],
  ['log', ['records', 'clock', 'metrics', 'bufferpool']],
  ['remote-storage', ['clock', 'metrics', 'bufferpool', 'quota']],
  ['remote-storage-local', ['remote-storage', 'clock']],
  ['remote-storage-memory', ['remote-storage']],
  ['remote-storage-s3', ['remote-storage', 'clock']],
  ['remote-storage-gcs', ['remote-storage', 'clock']],
  ['remote-storage-azure', ['remote-storage', 'clock']],
  ['stub-servers', ['clock']],
  ['remote-storage-testkit', ['remote-storage', 'clock', 'records']],
  ['rlm-core', ['remote-storage', 'records', 'quota', 'metrics', 'clock', 'bufferpool']],
  [
    'broker',
    [
      'clock',
      'metrics',
      'bufferpool',
      'quota',
      'records',
      'protocol',
      'log',
      'remote-storage',
      'rlm-core',
    ],
  ],
]);

/** Run-time dependencies from outside, by short name; all others have none. */
const THIRD_PARTY: ReadonlyMap<string, readonly string[]> = new Map([
  ['records', ['@node-rs/crc32', 'lz4-napi', 'snappy']],
  ['remote-storage-s3', ['@aws-sdk/client-s3']],
  ['remote-storage-gcs', ['@google-cloud/storage', '@node-rs/crc32']],
  ['remote-storage-azure', ['@azure/identity', '@azure/storage-blob']],
]);

interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

const packages = readdirSync(join(root, 'packages'));
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const sources = tracked.filter((file) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$/.test(file));
const packageSources = sources.filter((file) => file.startsWith('packages/'));

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Files in which a line matches, as `file:line`, comment lines left out. */
function linesMatching(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
  );
}

describe('packages', () => {
  test.each(packages)('%s imports downwards only, and nothing undeclared from outside', (name) => {
    const allowed = ARROWS.get(name);
    expect(allowed, `${name} is missing in the table of arrows`).toBeDefined();
    const { dependencies, peerDependencies, optionalDependencies } = manifest(`packages/${name}`);
    const all = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    const ours = all.filter((dependency) => dependency.startsWith('@logloft/'));
    const others = all.filter((dependency) => !dependency.startsWith('@logloft/'));
    for (const dependency of ours) expect(allowed).toContain(dependency.slice('@logloft/'.length));
    for (const dependency of others) expect(THIRD_PARTY.get(name) ?? []).toContain(dependency);
  });

  test.each(packages)('%s has a README, a licence, and states the Node it runs on', (name) => {
    const { license, engines } = manifest(`packages/${name}`);
    expect(license).toBe('Apache-2.0');
    expect(engines).toEqual({ node: '>=22.15' });
    expect(read(`packages/${name}/README.md`)).toContain(`@logloft/${name}`);
    expect(read(`packages/${name}/LICENSE`)).toBe(read('LICENSE'));
  });

  test('one pnpm is pinned in all places', () => {
    const { packageManager, devDependencies, scripts } = manifest('.');
    const version = packageManager?.replace('pnpm@', '') ?? '';
    expect(devDependencies?.['pnpm']).toBe(version);
    expect(scripts?.['setup']).toContain(`pnpm@${version} `);
    expect(scripts?.['version']).toContain(`pnpm@${version} `);
  });
});

const EXPORTED = /^export (?:abstract |async )?(?:class|function\*?|interface|type|const) (\w+)/;

describe('sources', () => {
  test('time and chance come from the clock package alone', () => {
    const files = packageSources.filter((file) => !file.startsWith('packages/clock/'));
    const pattern =
      /\bMath\.random\b|\brandom(Bytes|UUID|Int|FillSync|Fill)\b|\bgetRandomValues\b|AbortSignal\.timeout|\bDate\.now\b|\bnew Date\b|\bperformance\.now\b|process\.hrtime|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(/;
    expect(linesMatching(files, pattern)).toEqual([]);
  });

  test('no file has a name that says nothing', () => {
    const empty = /^(util|utils|helper|helpers|common|misc|base|impl|stuff)$/;
    const named = sources.filter((file) =>
      file.split('/').some((part) => empty.test(part.replace(/\.ts$/, ''))),
    );
    expect(named).toEqual([]);
  });

  test('entry points hold named re-exports only', () => {
    const entries = packageSources.filter((file) => /^packages\/[^/]+\/src\/index\.ts$/.test(file));
    expect(entries).toHaveLength(packages.length);
    for (const entry of entries) {
      const statements = read(entry)
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\/\/.*$/gm, '')
        .split(';')
        .map((statement) => statement.trim())
        .filter((statement) => statement !== '');
      for (const statement of statements) {
        expect(statement, entry).toMatch(/^export (type )?\{[\s\S]*\}( from '\.\/[^']+\.ts')?$/);
      }
    }
  });

  test('everything that is exported is documented', () => {
    const undocumented = packageSources
      .filter((file) => !/\/(generated|messages)\//.test(file) && basename(file) !== 'index.ts')
      .flatMap((file) => {
        const documented = new Set<string>();
        const lines = read(file).split('\n');
        return lines.flatMap((line, index) => {
          const name = EXPORTED.exec(line)?.[1];
          if (name === undefined) return [];
          if ((lines[index - 1] ?? '').trim().endsWith('*/')) documented.add(name);
          // Overloads share the comment of the first.
          return documented.has(name) ? [] : [`${file}:${index + 1}`];
        });
      });
    expect(undocumented).toEqual([]);
  });

  test('no test is left focused', () => {
    const tests = tracked.filter(
      (file) => file.endsWith('.test.ts') && !file.endsWith('tidy.test.ts'),
    );
    expect(linesMatching(tests, /\b(test|it|describe)\.only\(/)).toEqual([]);
  });

  test('the repository speaks of the product alone', () => {
    const texts = tracked.filter((file) => /\.(ts|md|json|ya?ml)$|\.ci\/run$/.test(file));
    const elsewhere = /(^|[\s'"`(])\/(work|root)\//;
    const found = texts
      .filter((file) => !file.endsWith('tidy.test.ts'))
      .filter((file) =>
        read(file)
          .split('\n')
          .some((line) => elsewhere.test(line)),
      );
    expect(found).toEqual([]);
  });
});
