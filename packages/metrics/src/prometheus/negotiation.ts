/** Whether a scraper that sends this `Accept` header wants OpenMetrics 1.0 rather than plain text. */
export function acceptsOpenMetrics(accept: string | undefined): boolean {
  let openMetrics = 0;
  let plain = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const values = new Map(parameters.map((text) => [before(text), after(text)]));
    const quality = Number(values.get('q') ?? 1);
    const version = values.get('version');
    if (type === 'application/openmetrics-text' && (version === undefined || version === '1.0.0')) {
      openMetrics = Math.max(openMetrics, quality);
    } else if (type === 'text/plain') {
      plain = Math.max(plain, quality);
    }
  }
  return openMetrics > 0 && openMetrics >= plain;
}

function before(parameter: string): string {
  return parameter.split('=', 1)[0]?.trim() ?? '';
}

function after(parameter: string): string {
  const at = parameter.indexOf('=');
  return at < 0 ? '' : parameter.slice(at + 1).trim();
}
