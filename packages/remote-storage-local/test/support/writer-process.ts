import { systemClock } from '@logloft/clock';
import { memorySource } from '@logloft/remote-storage';
import { contextWith, seededBytes } from '@logloft/remote-storage-testkit';
import { LocalObjectStore } from '../../src/index.ts';

// Writes objects for ever, and says which are written; its parent kills it at some moment.
const [root = '', seed = '0'] = process.argv.slice(2);
const context = contextWith(systemClock, Number(seed));
const store = await LocalObjectStore.open({ root }, context);
for (let number = 1; ; number += 1) {
  const bytes = seededBytes(number, 150_000 + (number % 7) * 50_000);
  // Two at a time, so that a kill finds something unfinished.
  const keys = [`objects/${number % 5}/${number}-a`, `objects/${number % 5}/${number}-b`];
  await Promise.all(keys.map((key) => store.put(key, memorySource(bytes))));
  process.stdout.write(`${number}\n`);
}
