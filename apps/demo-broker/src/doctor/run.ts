import type { ConfiguredPlugin } from '@logloft/broker';
import { systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import {
  GuardedObjectStore,
  type ObjectStore,
  openRemoteStorage,
  type PluginContext,
  type PluginModule,
  type RemoteStorageManager,
} from '@logloft/remote-storage';
import { UsageError } from '../command-line/usage-error.ts';
import { configuredStore } from '../configured-store.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { humanLogger } from '../logger.ts';
import type { CommandSurroundings } from '../running-command.ts';
import { CheckList } from './check-list.ts';
import type { DoctorCommand } from './doctor-command.ts';
import type { Finding } from './finding.ts';
import { copySegment } from './segment-check.ts';
import { checkStore } from './store-checks.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 15_000;

/** Once is enough to see what is wrong; a broker would try again. */
const NO_RETRIES = {
  maxAttempts: 1,
  baseDelayMs: 0,
  throttledBaseDelayMs: 0,
  maxDelayMs: 0,
  maxRetryAfterMs: 0,
} as const;

/**
 * Runs `logloft doctor`: tries out on a store all that a broker will do to it, and says in plain words
 * what to change. Writes and removes a few objects of its own, and touches no others.
 *
 * @throws UsageError when no store is named
 * @throws ConfigError when the configuration is wrong
 */
export async function doctor(
  command: DoctorCommand,
  surroundings: CommandSurroundings,
): Promise<ExitCode> {
  const { clock, output, stop } = surroundings;
  const plugin = await pluginOf(command, surroundings);
  const metrics = new MetricsRegistry({ clock });
  const context: PluginContext = {
    clock,
    random: systemRandom,
    logger: humanLogger({ clock, level: command.logLevel, write: output.err }),
    metrics,
    brokerId: 0,
  };
  const store = command.remoteStorage ?? 'configured';
  const list = new CheckList({
    clock,
    store,
    onFinding: (finding) => {
      if (!command.json) output.out(linesOf(finding));
    },
  });
  // Timers of packages do not keep a process: between two attempts nothing else would.
  const { port1: hold } = new MessageChannel();
  hold.ref();
  try {
    if (!command.json) output.out(`logloft doctor: remote storage ${store}\n`);
    await examine({ command, plugin, context, list, signal: stop });
  } finally {
    hold.close();
    await metrics.close();
  }
  if (stop.aborted) {
    output.err('logloft: the checks were interrupted');
    return EXIT_CODES.interrupted;
  }
  output.out(command.json ? jsonOf(list) : closingLine(list));
  return list.isSound ? EXIT_CODES.ok : EXIT_CODES.failed;
}

async function pluginOf(
  command: DoctorCommand,
  surroundings: CommandSurroundings,
): Promise<ConfiguredPlugin> {
  const { dataDirectory } = command;
  const remoteStorage =
    command.remoteStorage ?? (dataDirectory === undefined ? undefined : 'local');
  const plugin = await configuredStore({ ...command, remoteStorage }, dataDirectory, surroundings);
  if (plugin !== undefined) return plugin;
  throw new UsageError(
    'Say which store is to be looked at: --remote-storage s3, gcs, azure, local, or a plugin; or a --config with remote.log.storage.manager.class.name.',
  );
}

interface Examination {
  readonly command: DoctorCommand;
  readonly plugin: ConfiguredPlugin;
  readonly context: PluginContext;
  readonly list: CheckList;
  readonly signal: AbortSignal;
}

async function examine(examination: Examination): Promise<void> {
  const { command, plugin, context, list, signal } = examination;
  const { clock, random } = context;
  let opened: Opened | undefined;
  await list.check('settings', 'open', async () => {
    opened = await open(plugin, context);
    list.store = opened.manager.capabilities.name;
    return { detail: optionsRead(Object.keys(plugin.options).length) };
  });
  // Assigned in the closure above.
  const found = opened as Opened | undefined;
  if (found === undefined) return;
  const { manager, store } = found;
  try {
    if (store === undefined) list.skip('store', 'the plugin does not show its object store');
    else {
      const prefix = `${plugin.options['key.prefix'] ?? ''}_logloft/doctor/`;
      const { sizeBytes } = command;
      await checkStore({ store, list, clock, random, prefix, sizeBytes, signal });
    }
    if (list.isSound) {
      await list.check('segment', 'write', () => copySegment(manager, { random, signal }));
    } else list.skip('segment', 'first the above');
  } finally {
    await manager[Symbol.asyncDispose]();
  }
}

interface Opened {
  readonly manager: RemoteStorageManager;
  /** As the plugin made it, with deadlines, without retries. */
  readonly store: ObjectStore | undefined;
}

async function open(
  { module, options }: ConfiguredPlugin,
  context: PluginContext,
): Promise<Opened> {
  const { createObjectStore } = module;
  let store: ObjectStore | undefined;
  const watched: PluginModule =
    createObjectStore === undefined
      ? module
      : {
          createObjectStore: async (storeOptions, storeContext) => {
            store = await createObjectStore(storeOptions, storeContext);
            return store;
          },
        };
  const manager = await openRemoteStorage(watched, options, context);
  return { manager, store: store === undefined ? undefined : guarded(store, context) };
}

/** The manager disposes of the store. */
function guarded(store: ObjectStore, context: PluginContext): ObjectStore {
  const guard = new GuardedObjectStore(store, context, {
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    retryPolicy: NO_RETRIES,
  });
  return guard;
}

const MARKS: Readonly<Record<Finding['outcome'], string>> = {
  ok: 'ok  ',
  warn: 'warn',
  fail: 'FAIL',
  skip: 'skip',
};

function linesOf({ name, outcome, detail, remedy, ms }: Finding): string {
  const time = outcome === 'skip' ? '' : `  ${ms} ms`;
  const head = `  ${MARKS[outcome]}  ${name.padEnd(18)} ${detail}${time}`;
  return remedy === undefined ? head : `${head}\n        -> ${remedy}`;
}

function closingLine({ findings, isSound }: CheckList): string {
  const count = (outcome: Finding['outcome']): number =>
    findings.filter((finding) => finding.outcome === outcome).length;
  const counts = `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed, ${count('skip')} not tried`;
  return isSound ? `\nThe store is fit for tiering: ${counts}.` : `\nNot fit yet: ${counts}.`;
}

function jsonOf({ store, findings, isSound }: CheckList): string {
  const printed = findings.map(({ remedy, code, ...finding }) => ({
    ...finding,
    remedy: remedy ?? null,
    code: code ?? null,
  }));
  return JSON.stringify({ event: 'doctor', store, isSound, findings: printed });
}

function optionsRead(count: number): string {
  return count === 1 ? 'the option is understood' : `all ${count} options are understood`;
}
