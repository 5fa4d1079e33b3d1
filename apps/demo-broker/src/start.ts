import { type Broker, ListenError, startBroker } from '@logloft/broker';
import { MetricsRegistry } from '@logloft/metrics';
import { banner } from './banner.ts';
import { isLoopback } from './command-line/address.ts';
import type { StartCommand } from './command-line/command.ts';
import { StatusServer } from './http/status-server.ts';
import { humanLogger, jsonLogger } from './logger.ts';
import { portOwner } from './port-owner.ts';
import { PortTakenError } from './port-taken-error.ts';
import { readyReport } from './ready-report.ts';
import type { CommandSurroundings } from './running-command.ts';
import { readSettings, type Settings } from './settings.ts';
import { StartLog } from './start-log.ts';
import { brokerOptionsFor, hasOwnLogDirectory } from './start-options.ts';
import { sweepTemporaryDirectories, TemporaryDirectory } from './temporary-directory.ts';
import { packageVersion } from './version.ts';

/**
 * Runs a broker until it is told to stop: starts it, says so, waits, ends it, and leaves nothing behind
 * that was not asked for. Whatever fails, what was opened before is closed.
 *
 * @throws what the broker, the HTTP server or the file system says
 */
export async function start(
  command: StartCommand,
  surroundings: CommandSurroundings,
): Promise<void> {
  const settings = await readSettings(command, surroundings.environment);
  const log = startLogFor(command, surroundings);
  const temporary = await temporaryDirectoryFor(command, settings, surroundings);
  const metrics = new MetricsRegistry({ clock: surroundings.clock });
  try {
    await serve({ command, settings, surroundings, log, temporary, metrics });
  } finally {
    // After a start that failed, too: they say why.
    log.release();
    await metrics.close();
    await temporary?.remove();
  }
  if (command.json) surroundings.output.out(JSON.stringify({ event: 'stopped' }));
}

interface Run {
  readonly command: StartCommand;
  readonly settings: Settings;
  readonly surroundings: CommandSurroundings;
  readonly log: StartLog;
  readonly temporary: TemporaryDirectory | undefined;
  readonly metrics: MetricsRegistry;
}

async function serve(run: Run): Promise<void> {
  const { command, metrics, surroundings } = run;
  const { clock, stop } = surroundings;
  let broker: Broker | undefined;
  // First, so that whoever waits for the broker can see that it is still starting.
  const status =
    command.http === undefined
      ? undefined
      : await StatusServer.listen({
          ...command.http,
          metrics,
          processTimes: { startedMs: clock.now() - process.uptime() * 1000 },
          isReady: () => broker?.isReady === true,
        }).catch(withOwner);
  try {
    if (stop.aborted) return;
    broker = await openBroker(run);
    if (!stop.aborted) {
      announce(run, broker, status?.url);
      await aborted(stop);
    }
  } finally {
    await status?.close();
    await broker?.close();
  }
}

async function openBroker(run: Run): Promise<Broker> {
  const { command, settings, surroundings, log, metrics } = run;
  const directory = run.temporary?.path ?? command.dataDirectory;
  return await startBroker({
    ...brokerOptionsFor({ command, settings, directory }),
    clock: surroundings.clock,
    logger: log.logger,
    metrics,
  }).catch(withOwner);
}

/** Says what runs where, then lets the log lines of the start follow. */
function announce(run: Run, broker: Broker, http: string | undefined): void {
  const { command, surroundings, log, temporary } = run;
  const report = readyReport(broker, {
    http,
    temporary: temporary !== undefined,
    version: packageVersion(),
  });
  if (command.json) surroundings.output.out(JSON.stringify({ event: 'ready', ...report }));
  else if (!command.quiet) surroundings.output.out(banner(report));
  log.release();
  warnWhenOpen(run, broker);
  warnOfLoss(run);
}

function warnWhenOpen({ command, log }: Run, broker: Broker): void {
  const listeners = broker.configValue('listeners') ?? '';
  const hosts = listeners.split(',').map(hostOfListener);
  const open = hosts.filter((host) => !isLoopback(host));
  if (open.length > 0) {
    log.logger.warn(
      'Whoever reaches this machine can read and write every topic: there is no authentication so far. Without --host only this machine can.',
      { listeners },
    );
  }
  if (command.http !== undefined && !isLoopback(command.http.host)) {
    log.logger.warn('Whoever reaches this machine can read the metrics.', {
      http: command.http.host,
    });
  }
}

/** Data that is kept, with a tier that is not: what has left the local disk is lost at the end. */
function warnOfLoss({ command, log }: Run): void {
  if (command.dataDirectory === undefined || command.remoteStorage !== 'memory') return;
  log.logger.warn(
    'The remote tier is in memory: what has moved there is lost at the end, though --data keeps the rest.',
  );
}

/** `PLAINTEXT://[::1]:9092` as `::1`. */
function hostOfListener(listener: string): string {
  const address = listener.slice(listener.indexOf('://') + 3);
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

function startLogFor(command: StartCommand, { clock, output }: CommandSurroundings): StartLog {
  const { json, logLevel: level } = command;
  // On one stream with the ready line, log lines come after it; on a stream of their own, at once.
  return json
    ? new StartLog((write) => jsonLogger({ clock, level, write }), {
        write: output.out,
        hold: true,
      })
    : new StartLog((write) => humanLogger({ clock, level, write }), {
        write: output.err,
        hold: false,
      });
}

async function temporaryDirectoryFor(
  command: StartCommand,
  settings: Settings,
  { clock }: CommandSurroundings,
): Promise<TemporaryDirectory | undefined> {
  const isElsewhere = command.dataDirectory !== undefined || hasOwnLogDirectory(settings);
  if (command.memoryBytes !== undefined || isElsewhere) return undefined;
  await sweepTemporaryDirectories({ clock });
  return await TemporaryDirectory.create({ clock });
}

/** A taken port is told with its owner and the ways out of the command line. */
async function withOwner(error: unknown): Promise<never> {
  if (error instanceof PortTakenError) {
    const { taken } = error;
    throw new PortTakenError({ ...taken, owner: await portOwner(taken.port) });
  }
  if (error instanceof ListenError && error.code === 'LOGLOFT_BROKER_PORT_IN_USE') {
    const { host, port } = error;
    const owner = await portOwner(port);
    throw new PortTakenError({ host, port, use: 'kafka', owner, cause: error });
  }
  throw error;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
