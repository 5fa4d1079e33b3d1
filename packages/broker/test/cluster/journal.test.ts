import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileJournal } from '../../src/cluster/journal.ts';
import { silentLogger } from '../../src/logger.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-journal-'));
  path = join(directory, 'journal');
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

function ignore(): void {
  // The events are read again from the file.
}

/** From now on a call on any open file fails: `sync` is used for directories, `datasync` for files. */
async function breakFiles(call: 'appendFile' | 'datasync' | 'sync'): Promise<() => void> {
  const handle = await open(directory, 'r');
  const methods = Object.getPrototypeOf(handle);
  await handle.close();
  const spy = vi.spyOn(methods, call).mockRejectedValue(new Error('EIO: i/o error'));
  return () => spy.mockRestore();
}

test.each(['appendFile', 'datasync', 'sync'] as const)(
  'what is acknowledged after a rewriting that failed in %s is there after a restart',
  async (call) => {
    const { journal } = await FileJournal.open<string>(path, silentLogger);
    await journal.append('before', ignore);
    const mend = await breakFiles(call);
    await expect(journal.rewrite(() => ['before'])).rejects.toThrow('EIO');
    mend();
    await journal.append('after', ignore);
    await journal.close();
    const { journal: again, events } = await FileJournal.open<string>(path, silentLogger);
    expect(events).toEqual(['before', 'after']);
    await again.close();
  },
);

test('events after a rewriting that failed are not acknowledged before its name is durable', async () => {
  const { journal } = await FileJournal.open<string>(path, silentLogger);
  const mend = await breakFiles('sync');
  await expect(journal.rewrite(() => ['kept'])).rejects.toThrow('EIO');
  await expect(journal.append('refused', ignore)).rejects.toThrow('EIO');
  mend();
  await journal.append('taken', ignore);
  await journal.close();
  const { journal: again, events } = await FileJournal.open<string>(path, silentLogger);
  expect(events).toEqual(['kept', 'taken']);
  await again.close();
});
