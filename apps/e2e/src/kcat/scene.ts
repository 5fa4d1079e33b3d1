import type { BrokerProcess } from '../harness/broker-process.ts';
import type { Checks } from '../harness/checks.ts';
import { type CommandResult, type RunCommandOptions, runCommand } from '../harness/run-command.ts';

/** What the checks of this program share. */
export interface KcatScene {
  readonly broker: BrokerProcess;
  readonly checks: Checks;
  /** For files of the checks. */
  readonly directory: string;
  /** The file that is sent. */
  readonly input: string;
  readonly lines: number;
}

/** Runs kcat against the broker of the scene. */
export async function kcat(
  { broker }: KcatScene,
  args: readonly string[],
  options: RunCommandOptions = {},
): Promise<CommandResult> {
  return await runCommand('kcat', ['-b', broker.bootstrap, ...args], options);
}
