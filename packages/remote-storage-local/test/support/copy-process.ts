import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@logloft/clock';
import { fileSource } from '@logloft/remote-storage';
import { contextWith } from '@logloft/remote-storage-testkit';
import { LocalObjectStore } from '../../src/index.ts';

// Copies one large file into a store and reads it back, and says how much memory that took.
const [directory = '', bytes = '0'] = process.argv.slice(2);
const path = join(directory, 'segment');
const file = await open(path, 'w');
await file.truncate(Number(bytes));
await file.close();
const context = contextWith(systemClock, 1);
const store = await LocalObjectStore.open({ root: join(directory, 'root') }, context);
const source = await fileSource(path);
const maxRssBytes = (): number => process.resourceUsage().maxRSS * 1024;

const pacer = { take: async () => undefined };
await store.put('warm', await fileSource(path, { size: 1_000_000 }), { pacer });
for await (const _ of await store.get('warm'));
const before = maxRssBytes();
await store.put('object', source, { pacer });
let read = 0;
for await (const piece of await store.get('object')) read += piece.byteLength;
process.stdout.write(JSON.stringify({ read, before, after: maxRssBytes() }));
