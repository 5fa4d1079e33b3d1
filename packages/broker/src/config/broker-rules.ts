import { ConfigError } from './config-error.ts';
import { printLong } from './config-text.ts';
import type { ConfigValues } from './config-values.ts';
import { advertisedListenersOf, listenersOf } from './listeners.ts';

/**
 * Checks what no property of the broker can be checked for alone.
 *
 * @throws {@link ConfigError} with a sentence that names keys, values and the remedy
 */
export function checkBrokerRules(values: ConfigValues): void {
  listenersOf(values);
  advertisedListenersOf(values);
  requireOrder(values, 'socket.request.max.bytes', 'queued.max.request.bytes');
  requireOrder(values, 'group.min.session.timeout.ms', 'group.max.session.timeout.ms');
  requireOrder(
    values,
    'remote.log.manager.task.retry.backoff.ms',
    'remote.log.manager.task.retry.backoff.max.ms',
  );
  checkRetention(values);
  checkDirectories(values);
  checkRemoteTier(values);
}

function requireOrder(values: ConfigValues, lower: string, upper: string): void {
  const low = values.number(lower);
  const high = values.number(upper);
  if (low <= high) return;
  throw conflict(
    upper,
    `${upper}=${printLong(high)} must not be below ${lower}=${printLong(low)}. Raise it, or lower the other.`,
  );
}

/** A retention of 0 would delete all closed segments at each check; Kafka refuses it for the broker, too. */
function checkRetention(values: ConfigValues): void {
  for (const key of ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours']) {
    if (!values.has(key) || values.number(key) !== 0) continue;
    throw new ConfigError('LOGLOFT_CONFIG_INVALID_VALUE', {
      key,
      reason: `${key} must be -1 (for ever) or at least 1; got 0.`,
    });
  }
}

function checkDirectories(values: ConfigValues): void {
  const directories = values.optionalList('log.dirs') ?? [];
  if (directories.length <= 1) return;
  throw new ConfigError('LOGLOFT_CONFIG_UNSUPPORTED', {
    key: 'log.dirs',
    reason: `log.dirs asks for ${directories.length} directories, which is not served so far. Name one.`,
  });
}

function checkRemoteTier(values: ConfigValues): void {
  const isOn = values.boolean('remote.log.storage.system.enable');
  if (isOn && !values.has('remote.log.storage.manager.class.name')) {
    throw conflict(
      'remote.log.storage.manager.class.name',
      'remote.log.storage.system.enable=true needs remote.log.storage.manager.class.name: the module of a remote storage plugin.',
    );
  }
  if (!isOn && values.boolean('log.remote.storage.enable')) {
    throw conflict(
      'log.remote.storage.enable',
      'log.remote.storage.enable=true needs remote.log.storage.system.enable=true.',
    );
  }
}

function conflict(key: string, reason: string): ConfigError {
  return new ConfigError('LOGLOFT_CONFIG_CONFLICT', { key, reason });
}
