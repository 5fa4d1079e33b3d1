/** `name` with what Prometheus does not allow in the name of a metric replaced by underscores. */
export function metricNameFor(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_:]/g, '_').replace(/__+/g, '_');
  return /^[a-zA-Z_:]/.test(clean) ? clean : `_${clean}`;
}

/**
 * Labels by names that Prometheus allows. Of two names that become the same the later gets an
 * underscore more, so that nothing is lost.
 */
export function labelsFor(
  labels: Iterable<readonly [name: string, value: string]>,
): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of labels) {
    let clean = labelNameFor(name);
    while (byName.has(clean)) clean = `${clean}_`;
    byName.set(clean, value);
  }
  return byName;
}

/** Labels as they are printed, sorted by name, in braces; empty without labels. */
export function printLabels(labels: Iterable<readonly [name: string, value: string]>): string {
  const sorted = [...labelsFor(labels)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return '';
  return `{${sorted.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`;
}

function labelNameFor(name: string): string {
  // Names that begin with two underscores are the scraper's own.
  const clean = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^__+/, '_');
  return /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`;
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
