import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type LabReport, renderSvg, renderTerminal, simulateQuota } from '@logloft/quota/lab';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { CommandSurroundings } from '../running-command.ts';
import { limitTable } from './against-the-limit.ts';
import { labJson } from './lab-json.ts';
import { labScenarioOf } from './lab-scenario.ts';
import type { QuotaLabCommand } from './quota-lab-command.ts';

/**
 * Runs `logloft quota-lab`: what a write quota does to a backlog, on simulated time, under each
 * policy. The same command line always prints the same.
 *
 * @throws UsageError when the scenario is too large
 */
export async function quotaLab(
  command: QuotaLabCommand,
  { output, stop }: Pick<CommandSurroundings, 'output' | 'stop'>,
): Promise<ExitCode> {
  const report = await unlessStopped(simulateQuota(labScenarioOf(command)), stop);
  if (report === undefined) {
    output.err('logloft: the simulation was interrupted');
    return EXIT_CODES.interrupted;
  }
  if (command.svgFile !== undefined) await writeFile(command.svgFile, renderSvg(report));
  output.out(command.json ? labJson(command, report) : textOf(command, report));
  return EXIT_CODES.ok;
}

function textOf(command: QuotaLabCommand, report: LabReport): string {
  const sections = [renderTerminal(report), `${limitTable(command, report).join('\n')}\n`];
  if (command.svgFile !== undefined) sections.push(`The image is ${command.svgFile}.\n`);
  return sections.join('\n').trimEnd();
}

async function unlessStopped(
  simulation: Promise<LabReport>,
  stop: AbortSignal,
): Promise<LabReport | undefined> {
  if (stop.aborted) return undefined;
  const over = new AbortController();
  const stopped = once(stop, 'abort', { signal: over.signal }).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([simulation, stopped]);
  } finally {
    over.abort();
  }
}
