import type { OutgoingRequest } from './http-message.ts';

/** The query of a request, escaped and ordered as the signature takes it; empty when there is none. */
export function queryString(query: OutgoingRequest['query']): string {
  return Object.entries(query ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      if (value === null) return [escaped(name)];
      const values = typeof value === 'string' ? [value] : value;
      return values.map((one) => `${escaped(name)}=${escaped(one)}`);
    })
    .join('&');
}

// RFC 3986 reserves these as well, and signatures follow it.
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
