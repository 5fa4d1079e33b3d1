import type { ObjectContent } from './object-content.ts';
import type { ObjectSettings } from './object-settings.ts';

/** One version of an object. Never changes: a write or a patch puts another in its place. */
export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly content: ObjectContent;
  readonly settings: ObjectSettings;
  /** Greater with each write to any object of the stub. */
  readonly generation: number;
  /** 1, and one more with each patch. */
  readonly metageneration: number;
  /** How many objects it was composed of, or `undefined` for one that was written. */
  readonly componentCount: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The entity tag of a version. */
export function etagOf(object: Pick<StoredObject, 'generation' | 'metageneration'>): string {
  return Buffer.from(`${object.generation}/${object.metageneration}`).toString('base64');
}
