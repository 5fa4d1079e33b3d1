import { printByteSize } from '../command-line/byte-size.ts';
import type { DemoCommand } from '../command-line/command.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { configuredStore } from '../configured-store.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { humanLogger } from '../logger.ts';
import type { CommandSurroundings } from '../running-command.ts';
import { sweepTemporaryDirectories, TemporaryDirectory } from '../temporary-directory.ts';
import { startDemoBroker } from './demo-broker.ts';
import { DemoFailure } from './demo-failure.ts';
import { DemoRun } from './demo-run.ts';
import { gatherInput, type Input } from './input-files.ts';
import { hideTimerWarnings, kafkaClient } from './kafka-client.ts';
import { StoreMeters } from './metered-store.ts';
import { PLAN } from './plan.ts';
import type { ProgressScreen } from './progress.ts';
import { closingLine, type DemoResult } from './summary.ts';

/**
 * Runs `logloft demo`: a broker in a temporary directory, real clients, real files.
 *
 * @throws DemoFailure when something that the demo shows did not hold
 */
export async function demo(
  command: DemoCommand,
  surroundings: CommandSurroundings,
): Promise<ExitCode> {
  const { clock, output, stop } = surroundings;
  hideTimerWarnings(output.err);
  const input = await gatherInput({ path: command.input, sizeBytes: command.sizeBytes });
  if (input.bytes < PLAN.leastBytes) {
    throw new UsageError(
      `The demo needs at least ${printByteSize(PLAN.leastBytes)} to fill segments, got ${printByteSize(input.bytes)}. Raise --size or choose another --input.`,
    );
  }
  output.out(
    `Input: ${input.files.length} files, ${printByteSize(input.bytes)}, from ${input.path}`,
  );
  await sweepTemporaryDirectories({ clock });
  const directory = await TemporaryDirectory.create({ clock });
  const startedMs = clock.monotonic();
  const deadline = new AbortController();
  const timer = clock.setTimer(PLAN.deadlineMs, () => {
    deadline.abort(new DemoFailure(`It took longer than ${PLAN.deadlineMs / 1_000} s.`));
  });
  try {
    const signal = AbortSignal.any([stop, deadline.signal]);
    const result = await withBroker({ command, surroundings, input, directory, signal });
    const seconds = (clock.monotonic() - startedMs) / 1_000;
    output.out(`  ${seconds.toFixed(1)} s from the start of the broker`);
    output.out(closingLine(result));
    return EXIT_CODES.ok;
  } catch (error) {
    if (!stop.aborted) throw error;
    output.err('logloft: the demo was interrupted');
    return EXIT_CODES.interrupted;
  } finally {
    timer.cancel();
    await directory.remove();
  }
}

interface Demo {
  readonly command: DemoCommand;
  readonly surroundings: CommandSurroundings;
  readonly input: Input;
  readonly directory: TemporaryDirectory;
  readonly signal: AbortSignal;
}

async function withBroker(demo: Demo): Promise<DemoResult> {
  const { command, surroundings, input, directory, signal } = demo;
  const { clock, output } = surroundings;
  const plugin = await configuredStore(command, directory.path, surroundings);
  const logger = humanLogger({ clock, level: command.logLevel, write: output.err });
  const meters = new StoreMeters(clock);
  const broker = await startDemoBroker({
    directory: directory.path,
    clock,
    logger,
    meters,
    plugin,
  });
  try {
    output.out(
      `Broker: ${broker.bootstrapServers}, ready in ${Math.round(broker.startReport.readyMs)} ms, in ${directory.path}`,
    );
    const kafka = kafkaClient(broker.bootstrapServers, logger);
    const screen = standardScreen();
    return await new DemoRun({ broker, kafka, clock, meters, screen, signal }, input).run();
  } finally {
    await broker.close();
  }
}

function standardScreen(): ProgressScreen {
  const { stdout } = process;
  return {
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns ?? 80,
    write: (text) => void stdout.write(text),
  };
}
