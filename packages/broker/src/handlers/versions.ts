import { type ApiDescription, RECOMMENDED_VERSIONS, type VersionRange } from '@logloft/protocol';

/**
 * The versions of an API that the broker advertises.
 *
 * @throws Error when none are recommended, which is a mistake in the code
 */
export function advertisedVersions(api: ApiDescription): VersionRange {
  const found = RECOMMENDED_VERSIONS.find(({ key }) => key === api.key);
  if (found === undefined) throw new Error(`No versions are recommended for ${api.name}`);
  return { min: found.min, max: found.max };
}
