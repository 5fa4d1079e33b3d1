#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Most of a start is the compiling of modules, which the next one need not do again. With --memory
// nothing at all is written to the disk.
if (!process.argv.some((word) => word.startsWith('--memory'))) enableCompileCache();
// In Node 24, buffers of 16 KiB and more are freed by full collections only, unless the young
// generation of V8 is kept as small as it was before (nodejs/node issues 61967 and 63863).
if (process.versions.node.startsWith('24.')) {
  setFlagsFromString('--scavenger-max-new-space-capacity-mb=8');
}

const { runCommandLine } = await import('./cli.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
