import { ConfigError } from './config-error.ts';
import { printLong } from './config-text.ts';
import type { ConfigValues } from './config-values.ts';

/** What the rules of a topic depend on besides its own values. */
export interface TopicRuleContext {
  /** Whether the broker has a remote tier (`remote.log.storage.system.enable`). */
  readonly hasRemoteTier: boolean;
  /** Whether the topic is tiered up to now; `false` for a new one. */
  readonly wasTiered: boolean;
}

/** For `local.retention.*`: as much as in all. */
const AS_TOTAL = -2;
const NO_LIMIT = -1;

/**
 * Checks what no property can be checked for alone.
 *
 * @throws {@link ConfigError} with a sentence that names keys, values and the remedy
 */
export function checkTopicRules(values: ConfigValues, context: TopicRuleContext): void {
  refuseUnserved(values);
  checkCompactionLags(values);
  checkTiering(values, context);
  for (const unit of ['ms', 'bytes'] as const) checkLocalRetention(values, unit);
}

/** Features that are known, and not served so far. */
function refuseUnserved(values: ConfigValues): void {
  const policy = values.list('cleanup.policy');
  if (policy.includes('compact')) {
    throw unsupported(
      'cleanup.policy',
      `cleanup.policy=${policy.join(',')} asks for log compaction, which is not served so far. Use delete.`,
    );
  }
  const compression = values.string('compression.type');
  if (compression !== 'producer') {
    throw unsupported(
      'compression.type',
      `compression.type=${compression} asks for compression by the broker, which is not served so far. ` +
        'Use producer, and let producers compress.',
    );
  }
  if (values.boolean('preallocate')) {
    throw unsupported(
      'preallocate',
      'preallocate=true asks for segment files made at full size, which is not served so far. Use false.',
    );
  }
}

function checkCompactionLags(values: ConfigValues): void {
  const min = values.number('min.compaction.lag.ms');
  const max = values.number('max.compaction.lag.ms');
  if (min <= max) return;
  throw conflict(
    'min.compaction.lag.ms',
    `min.compaction.lag.ms=${printLong(min)} must not be above max.compaction.lag.ms=${printLong(max)}.`,
  );
}

function checkTiering(values: ConfigValues, context: TopicRuleContext): void {
  const isTiered = values.boolean('remote.storage.enable');
  if (isTiered && !context.hasRemoteTier) {
    throw conflict(
      'remote.storage.enable',
      'remote.storage.enable=true needs a remote tier, and this broker has none. Start it with ' +
        'remote.log.storage.system.enable=true and remote.log.storage.manager.class.name.',
    );
  }
  if (context.wasTiered && !isTiered && !values.boolean('remote.log.delete.on.disable')) {
    throw conflict(
      'remote.storage.enable',
      'remote.storage.enable=false deletes what the remote tier has of the topic. Set ' +
        'remote.log.delete.on.disable=true with it if that is meant; remote.log.copy.disable=true ' +
        'only stops copying.',
    );
  }
}

function checkLocalRetention(values: ConfigValues, unit: 'ms' | 'bytes'): void {
  const localKey = `local.retention.${unit}`;
  const totalKey = `retention.${unit}`;
  const local = values.number(localKey);
  const total = values.number(totalKey);
  if (local === AS_TOTAL) return;
  const isCopyOff =
    values.boolean('remote.storage.enable') && values.boolean('remote.log.copy.disable');
  if (isCopyOff && local !== total) {
    throw conflict(
      localKey,
      `${localKey}=${printLong(local)} must be -2 or that of ${totalKey} (${printLong(total)}) while ` +
        'remote.log.copy.disable=true, since nothing local is copied any more.',
    );
  }
  if (total === NO_LIMIT || (local !== NO_LIMIT && local <= total)) return;
  throw conflict(
    localKey,
    `${localKey}=${printLong(local)} must not be above ${totalKey}=${printLong(total)}` +
      `${local === NO_LIMIT ? ' (-1 is without limit)' : ''}. Use -2 for the same.`,
  );
}

function unsupported(key: string, reason: string): ConfigError {
  return new ConfigError('LOGLOFT_CONFIG_UNSUPPORTED', { key, reason });
}

function conflict(key: string, reason: string): ConfigError {
  return new ConfigError('LOGLOFT_CONFIG_CONFLICT', { key, reason });
}
