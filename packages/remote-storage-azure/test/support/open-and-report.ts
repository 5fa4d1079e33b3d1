// A process of its own: says which packages were imported when a store was opened.
import { registerHooks } from 'node:module';
import { systemClock, systemRandom } from '@logloft/clock';

const imported = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    imported.add(specifier);
    return next(specifier, context);
  },
});

const { createObjectStore } = await import('../../src/index.ts');
const options: unknown = JSON.parse(process.argv[2] ?? '{}');
await createObjectStore(options as Record<string, string>, {
  clock: systemClock,
  random: systemRandom,
  logger: console,
});
console.log(imported.has('@azure/identity') ? 'login' : 'no login');
