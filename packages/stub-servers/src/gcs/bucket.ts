import type { SortedKeys } from '../storage/sorted-keys.ts';
import type { StoredObject } from './stored-object.ts';

/** A bucket: its objects by name, and what was set of it. */
export interface Bucket {
  readonly name: string;
  readonly createdAtMs: number;
  readonly objects: SortedKeys<StoredObject>;
  /** As the client sent it; `name` and what the stub computes are not in it. */
  readonly settings: ReadonlyMap<string, unknown>;
  readonly metageneration: number;
}
