import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@logloft/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepTemporaryDirectories, TemporaryDirectory } from '../src/temporary-directory.ts';

describe('temporary directories', () => {
  const clock = new ManualClock({ startMs: 1_800_000_000_000 });
  let base = '';

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'temporary-directory-test-'));
  });

  afterEach(async () => {
    await rm(base, { recursive: true, force: true });
  });

  /** A directory as a process that is gone would have left it. */
  async function leftBehind(change: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { path } = await TemporaryDirectory.create({ clock, base });
    const file = join(path, 'owner.json');
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, JSON.stringify({ ...(owner as object), pid, ...change }));
    writeFileSync(join(path, 'data'), 'x');
    return path;
  }

  it('are fresh, and gone with all that is in them when they are removed, twice too', async () => {
    const directory = await TemporaryDirectory.create({ clock, base });
    mkdirSync(join(directory.path, 'log'));
    writeFileSync(join(directory.path, 'log', 'x'), 'x');
    await directory.remove();
    await directory.remove();
    expect(existsSync(directory.path)).toBe(false);
  });

  it('are swept when their process is gone', async () => {
    const path = await leftBehind();
    expect(await sweepTemporaryDirectories({ clock, base })).toEqual([path]);
    expect(existsSync(path)).toBe(false);
  });

  it('stay while their process lives', async () => {
    const { path } = await TemporaryDirectory.create({ clock, base });
    expect(await sweepTemporaryDirectories({ clock, base })).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  it('stay when they belong to another machine or container, whatever its process numbers', async () => {
    await leftBehind({ host: 'another' });
    await leftBehind({ pidNamespace: 'pid:[1]' });
    expect(await sweepTemporaryDirectories({ clock, base })).toEqual([]);
  });

  it('stay when the owner makes no sense, which could be a directory that is being made', async () => {
    await leftBehind({ pid: 'none' });
    const path = await leftBehind({ pid: -1 });
    utimesSync(path, clock.now() / 1000, clock.now() / 1000);
    for (const name of ['logloft-1', 'logloft-2']) {
      mkdirSync(join(base, name));
      utimesSync(join(base, name), clock.now() / 1000, clock.now() / 1000);
    }
    writeFileSync(join(base, 'logloft-2', 'owner.json'), '{');
    utimesSync(join(base, 'logloft-2'), clock.now() / 1000, clock.now() / 1000);
    const swept = await sweepTemporaryDirectories({ clock, base });
    expect(swept.filter((gone) => gone === path || /logloft-[12]$/.test(gone))).toEqual([]);
  });

  it('are swept without an owner after an hour', async () => {
    const path = join(base, 'logloft-old');
    mkdirSync(path);
    const seconds = clock.now() / 1000 - 3_601;
    utimesSync(path, seconds, seconds);
    expect(await sweepTemporaryDirectories({ clock, base })).toEqual([path]);
  });

  it('of other programs are left alone, and what a link points to as well', async () => {
    const target = join(base, 'precious');
    mkdirSync(target);
    writeFileSync(join(target, 'data'), 'x');
    const path = await leftBehind();
    await symlink(target, join(path, 'link'));
    await sweepTemporaryDirectories({ clock, base });
    expect(existsSync(join(target, 'data'))).toBe(true);
  });

  it('that cannot be listed are no reason to fail', async () => {
    const missing = join(base, 'missing');
    expect(await sweepTemporaryDirectories({ clock, base: missing })).toEqual([]);
  });
});
