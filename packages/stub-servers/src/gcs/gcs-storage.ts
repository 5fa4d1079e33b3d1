import type { Clock } from '@logloft/clock';
import type { MemoryBudget } from '../storage/memory-budget.ts';
import { SortedKeys } from '../storage/sorted-keys.ts';
import type { Bucket } from './bucket.ts';
import { GcsError } from './gcs-error.ts';
import { assertBucketName, assertObjectName } from './names.ts';
import type { ObjectContent } from './object-content.ts';
import type { ObjectSettings } from './object-settings.ts';
import { assertMet, type Preconditions } from './preconditions.ts';
import type { StoredObject } from './stored-object.ts';

/** What a write makes of a name. The content's bytes are reserved in the budget by the caller. */
export interface ObjectWrite {
  readonly bucket: string;
  readonly name: string;
  readonly content: ObjectContent;
  readonly settings: ObjectSettings;
  readonly preconditions: Preconditions;
  readonly componentCount?: number | undefined;
}

/** Buckets and objects. Every method decides and acts in one go, so that of two writers one is first. */
export class GcsStorage {
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;
  readonly #buckets = new SortedKeys<Bucket>();
  #lastGeneration = 0;

  constructor(options: { readonly clock: Clock; readonly budget: MemoryBudget }) {
    this.#clock = options.clock;
    this.#budget = options.budget;
  }

  /** All buckets, by name. */
  buckets(): readonly Bucket[] {
    return this.#buckets.values();
  }

  /** @throws GcsError `notFound` */
  bucket(name: string): Bucket {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new GcsError('notFound', 'The specified bucket does not exist.');
  }

  /** @throws GcsError `conflict` when it exists, `invalid` for a name that the service does not take */
  createBucket(name: string, settings: ReadonlyMap<string, unknown>): Bucket {
    assertBucketName(name);
    if (this.#buckets.get(name) !== undefined) {
      throw new GcsError(
        'conflict',
        'Your previous request to create the named bucket succeeded and you already own it.',
      );
    }
    const bucket: Bucket = {
      name,
      createdAtMs: this.#clock.now(),
      objects: new SortedKeys(),
      settings,
      metageneration: 1,
    };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** @throws GcsError `notFound`, or `conflict` when it holds objects */
  deleteBucket(name: string): void {
    if (this.bucket(name).objects.size > 0) {
      throw new GcsError('conflict', 'The bucket you tried to delete is not empty.');
    }
    this.#buckets.delete(name);
  }

  /** @throws GcsError `notFound` */
  patchBucket(name: string, changes: ReadonlyMap<string, unknown>): Bucket {
    const before = this.bucket(name);
    const settings = new Map(before.settings);
    for (const [field, value] of changes) {
      if (value === null) settings.delete(field);
      else settings.set(field, value);
    }
    const bucket = { ...before, settings, metageneration: before.metageneration + 1 };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** The object of that name, or `undefined`. @throws GcsError `notFound` without the bucket */
  peek(bucket: string, name: string): StoredObject | undefined {
    return this.bucket(bucket).objects.get(name);
  }

  /**
   * @param generation as decimal text; only the newest is there, as buckets have no versions here
   * @throws GcsError `notFound`
   */
  object(bucket: string, name: string, generation?: string | undefined): StoredObject {
    const object = this.peek(bucket, name);
    if (
      object !== undefined &&
      (generation === undefined || generation === String(object.generation))
    ) {
      return object;
    }
    throw new GcsError('notFound', `No such object: ${bucket}/${name}`);
  }

  /** @throws GcsError `notFound` without the bucket, `conditionNotMet`, `invalid` for the name */
  write(write: ObjectWrite): StoredObject {
    const { bucket, name, content, settings, preconditions, componentCount } = write;
    assertObjectName(name);
    const { objects } = this.bucket(bucket);
    const before = objects.get(name);
    assertMet(preconditions, before);
    const now = this.#clock.now();
    const object: StoredObject = {
      bucket,
      name,
      content,
      settings,
      generation: this.#nextGeneration(now),
      metageneration: 1,
      componentCount,
      createdAtMs: now,
      updatedAtMs: now,
    };
    objects.set(name, object);
    if (before !== undefined) this.#budget.release(before.content.bytes.size);
    return object;
  }

  /** Puts other settings in the place of an object's. @throws GcsError `notFound` */
  resettle(object: StoredObject, settings: ObjectSettings): StoredObject {
    const { objects } = this.bucket(object.bucket);
    const patched: StoredObject = {
      ...object,
      settings,
      metageneration: object.metageneration + 1,
      updatedAtMs: this.#clock.now(),
    };
    objects.set(object.name, patched);
    return patched;
  }

  /** Deletes an object, and gives its bytes back. Does nothing when it is gone. */
  delete(object: StoredObject): void {
    if (this.bucket(object.bucket).objects.delete(object.name)) {
      this.#budget.release(object.content.bytes.size);
    }
  }

  /** The service counts microseconds, too; the clock may stand still or go back. */
  #nextGeneration(nowMs: number): number {
    this.#lastGeneration = Math.max(this.#lastGeneration + 1, Math.floor(nowMs) * 1000);
    return this.#lastGeneration;
  }
}
