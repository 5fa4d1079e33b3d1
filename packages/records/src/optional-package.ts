import { createRequire } from 'node:module';

/** Loads a package by its name, or answers undefined. */
export type LoadPackage = (name: string) => object | undefined;

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
