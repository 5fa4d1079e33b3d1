const MAX_DEPTH = 5;

/**
 * What `JSON.stringify` can print without loss or surprise: errors with code, message and cause, maps as
 * pairs, bigints as text, bytes by length, and nothing below five levels.
 */
export function jsonValue(value: unknown, depth: number = 0): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Error) return errorValue(value, depth);
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (value instanceof Map) return [...value].map((pair) => jsonValue(pair, depth + 1));
  if (Array.isArray(value) || value instanceof Set) {
    return [...value].map((item) => jsonValue(item, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, jsonValue(item, depth + 1)]),
  );
}

function errorValue(error: Error, depth: number): unknown {
  return {
    name: error.name,
    ...('code' in error ? { code: jsonValue(error.code, depth + 1) } : {}),
    message: error.message,
    ...(error.cause === undefined ? {} : { cause: jsonValue(error.cause, depth + 1) }),
  };
}
