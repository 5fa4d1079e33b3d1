import { join } from 'node:path';

/** Where modules that are given as text find their imports. */
export const PACKAGE: string = join(import.meta.dirname, '../..');

/** Runs a module that is given as text, on the sources of the packages. */
export const MODULE_FLAGS: readonly string[] = [
  '--experimental-strip-types',
  '--no-warnings',
  '--conditions=@logloft/source',
  '--input-type=module',
];
