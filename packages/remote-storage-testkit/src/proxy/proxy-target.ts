/** A server that a proxy stands in front of, by its URL. */
export type ProxyTarget = string | URL;

/**
 * Host and port of a target.
 *
 * @throws RangeError for a URL that is none, or not of plain HTTP
 */
export function targetOf(target: ProxyTarget): { readonly host: string; readonly port: number } {
  const url = URL.parse(String(target));
  if (url?.protocol !== 'http:') {
    throw new RangeError(`A target must be an http: URL, got ${JSON.stringify(String(target))}`);
  }
  // An IPv6 address stands in brackets in a URL, and without them in a connection.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? 80 : Number(url.port) };
}
