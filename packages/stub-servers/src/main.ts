#!/usr/bin/env node
import { runCommand } from './command-line/run-command.ts';

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
// Only once each: a second Ctrl-C ends the process in the system's own way.
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  stopped,
});
