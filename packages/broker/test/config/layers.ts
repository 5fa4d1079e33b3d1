import type { BrokerConfigLayers } from '../../src/config/effective-config.ts';

/** Layers with what is given, the rest empty. */
export function layers(
  parts: Partial<Record<keyof BrokerConfigLayers, Record<string, string>>> = {},
): BrokerConfigLayers {
  return {
    static: new Map(Object.entries(parts.static ?? {})),
    dynamicDefault: new Map(Object.entries(parts.dynamicDefault ?? {})),
    dynamicBroker: new Map(Object.entries(parts.dynamicBroker ?? {})),
  };
}

/** A broker that has a remote tier. */
export const WITH_REMOTE_TIER = {
  'remote.log.storage.system.enable': 'true',
  'remote.log.storage.manager.class.name': 'some-plugin',
} as const;

export function configs(texts: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}
