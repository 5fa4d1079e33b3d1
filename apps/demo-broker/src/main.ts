#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(
    `logloft needs Node 22.15 or newer; this is Node ${process.versions.node}\n`,
  );
  process.exit(1);
}
// In Node 24, buffers of 16 KiB and more are freed by full collections only, unless the young
// generation of V8 is kept as small as it was before (nodejs/node issues 61967 and 63863).
if (major === 24) setFlagsFromString('--scavenger-max-new-space-capacity-mb=8');

const { runCommandLine } = await import('./cli.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
