// They belong to one connection, or were dealt with by the proxy itself.
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
]);

/**
 * The headers of a message as they were sent, without those of its connection. `Host` stays: signatures
 * cover it.
 *
 * @param raw names and values in turn
 */
export function forwardedHeaders(raw: readonly string[]): string[] {
  return pairsOf(raw)
    .filter(([name]) => !OF_ONE_CONNECTION.has(name.toLowerCase()))
    .flat();
}

/** The same, with a body announced as empty where no body is announced: Node would announce chunks. */
export function forwardedRequestHeaders(raw: readonly string[]): string[] {
  const announced = pairsOf(raw).some(([name]) =>
    ['content-length', 'transfer-encoding'].includes(name.toLowerCase()),
  );
  const headers = forwardedHeaders(raw);
  return announced ? headers : [...headers, 'content-length', '0'];
}

/** The body's length that is announced, if any. */
export function announcedLength(raw: readonly string[]): number | undefined {
  const found = pairsOf(raw).find(([name]) => name.toLowerCase() === 'content-length');
  return found === undefined ? undefined : Number(found[1]);
}

/** The headers with another length announced. */
export function withLength(raw: readonly string[], length: number): string[] {
  return pairsOf(raw).flatMap(([name, value]) =>
    name.toLowerCase() === 'content-length' ? [name, String(length)] : [name, value],
  );
}

function pairsOf(raw: readonly string[]): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
