import type { IncomingMessage } from 'node:http';

/** A request's line and headers, as they came. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as sent: neither decoded nor normalised, so `..` and `//` stay. */
  readonly target: string;
  /** The part of `target` before the first `?`, still percent-encoded. */
  readonly path: string;
  /** The part of `target` after the first `?`, still percent-encoded. */
  readonly query: string;
  /** By lower-case name; the values of a repeated header are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
}

/** One pair of a query, decoded. */
export type QueryPair = readonly [name: string, value: string];

/** Reads the head of a request. Names such as `__proto__` are ordinary here. */
export function readRequestHead(request: IncomingMessage): RequestHead {
  // Absolute form, as through a proxy: only the part behind the authority counts.
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const mark = target.indexOf('?');
  const headers = new Map<string, string>();
  const raw = request.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return {
    method: request.method ?? 'GET',
    target,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers,
  };
}

/** Decodes percent-encoded UTF-8, or returns `undefined` when it is malformed. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The pairs of a query in order, or `undefined` when one of them is malformed. `+` is a space. */
export function parseQuery(query: string): readonly QueryPair[] | undefined {
  const pairs: QueryPair[] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const rawValue = equals < 0 ? '' : part.slice(equals + 1);
    const name = decodePercent(rawName.replaceAll('+', ' '));
    const value = decodePercent(rawValue.replaceAll('+', ' '));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}
