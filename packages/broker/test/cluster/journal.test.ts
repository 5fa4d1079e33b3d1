import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileJournal } from '../../src/cluster/journal.ts';
import { silentLogger } from '../../src/logger.ts';

/** What may be opened no more, by the flags it is opened with. */
const refused = vi.hoisted(() => new Set<string>());

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    open: (path: string, flags: string) =>
      refused.has(flags)
        ? Promise.reject(Object.assign(new Error('EMFILE: too many files'), { code: 'EMFILE' }))
        : real.open(path, flags),
  };
});

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-journal-'));
  path = join(directory, 'journal');
});

afterEach(async () => {
  refused.clear();
  await rm(directory, { recursive: true, force: true });
});

function ignore(): void {
  // The events are read again from the file.
}

test.each(['r', 'a+', 'w'])(
  'what is acknowledged after a rewriting that failed on an open(%s) is there after a restart',
  async (flags) => {
    const { journal } = await FileJournal.open<string>(path, silentLogger);
    await journal.append('before', ignore);
    refused.add(flags);
    await journal.rewrite(() => ['before']).catch(ignore);
    refused.clear();
    await journal.append('after', ignore);
    await journal.close();
    const { journal: again, events } = await FileJournal.open<string>(path, silentLogger);
    expect(events).toEqual(['before', 'after']);
    await again.close();
  },
);

test('events after a rewriting that failed are not acknowledged before its name is durable', async () => {
  const { journal } = await FileJournal.open<string>(path, silentLogger);
  refused.add('r');
  await journal.rewrite(() => ['kept']).catch(ignore);
  await expect(journal.append('refused', ignore)).rejects.toThrow('EMFILE');
  refused.clear();
  await journal.append('taken', ignore);
  await journal.close();
  const { journal: again, events } = await FileJournal.open<string>(path, silentLogger);
  expect(events).toEqual(['kept', 'taken']);
  await again.close();
});
