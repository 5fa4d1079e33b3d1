import { createRequire } from 'node:module';

/**
 * Loads an optional dependency.
 *
 * @returns what the package exports; undefined where it is not installed, or not for this platform
 */
export function loadOptionalPackage(name: string): object | undefined {
  try {
    const exports: unknown = createRequire(import.meta.url)(name);
    return typeof exports === 'object' && exports !== null ? exports : undefined;
  } catch {
    return undefined;
  }
}

/** A function that loads at its first call, and remembers what came of it. */
export function onFirstUse<T>(load: () => T): () => T {
  let loaded: { readonly value: T } | undefined;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}
