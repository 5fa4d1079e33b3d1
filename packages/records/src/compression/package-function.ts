import { COMPRESSION, type CompressionName } from '../constants.ts';
import { UnsupportedCompressionError } from '../errors.ts';
import type { LoadPackage } from '../optional-package.ts';

/** Where the function that writes a codec comes from. */
export interface PackageFunctionSource {
  readonly codec: CompressionName;
  readonly packageName: string;
  readonly exportName: string;
  readonly load: LoadPackage;
}

/** A function of an optional package, which is loaded once, when it is first needed. */
export class PackageFunction<T> {
  readonly #source: PackageFunctionSource;
  #loaded: { readonly value: T | undefined } | undefined;

  constructor(source: PackageFunctionSource) {
    this.#source = source;
  }

  /** Whether the package is installed and loads here. */
  isAvailable(): boolean {
    return this.#value() !== undefined;
  }

  /** @throws UnsupportedCompressionError when {@link isAvailable} answers false */
  get(): T {
    const value = this.#value();
    if (value !== undefined) return value;
    const { codec, packageName } = this.#source;
    throw new UnsupportedCompressionError(
      COMPRESSION[codec],
      `Writing ${codec} needs the optional package "${packageName}"; it is not installed, or does not load here`,
    );
  }

  #value(): T | undefined {
    this.#loaded ??= { value: this.#load() };
    return this.#loaded.value;
  }

  #load(): T | undefined {
    const { packageName, exportName, load } = this.#source;
    const exports = load(packageName);
    const value: unknown = exports === undefined ? undefined : Reflect.get(exports, exportName);
    // Its parameters are those that the package documents; what it writes is read back in the tests.
    return typeof value === 'function' ? (value as T) : undefined;
  }
}
