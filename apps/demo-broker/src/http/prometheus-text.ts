/** One number with its labels. */
export interface PrometheusSample {
  /** The name as the program has it; what Prometheus does not allow is replaced. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: Iterable<readonly [name: string, value: string]>;
  readonly value: number;
}

/** The content type of {@link prometheusText}. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** By name and labels as printed: of two that would be the same, the first counts. */
  readonly series: Map<string, number>;
}

/**
 * Prints samples in the text format 0.0.4 of Prometheus: families together, each with HELP and TYPE
 * (those of its first sample), no series twice, which a scraper would refuse as a whole.
 */
export function prometheusText(samples: Iterable<PrometheusSample>): string {
  const families = new Map<string, Family>();
  for (const sample of samples) {
    const name = metricNameFor(sample.name);
    let family = families.get(name);
    if (family === undefined) {
      family = { help: sample.help, type: sample.type, series: new Map() };
      families.set(name, family);
    }
    const series = `${name}${printLabels(sample.labels)}`;
    if (!family.series.has(series)) family.series.set(series, sample.value);
  }
  const lines: string[] = [];
  for (const [name, { help, type, series }] of families) {
    if (help !== '') lines.push(`# HELP ${name} ${escapeHelp(help)}`);
    lines.push(`# TYPE ${name} ${type}`);
    for (const [text, value] of series) lines.push(`${text} ${printValue(value)}`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function metricNameFor(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_:]/g, '_').replace(/__+/g, '_');
  return /^[a-zA-Z_:]/.test(clean) ? clean : `_${clean}`;
}

function labelNameFor(name: string): string {
  // Names that begin with two underscores are the scraper's own.
  const clean = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^__+/, '_');
  return /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`;
}

function printLabels(labels: PrometheusSample['labels']): string {
  const byName = new Map<string, string>();
  for (const [name, value] of labels) {
    const clean = labelNameFor(name);
    if (!byName.has(clean)) byName.set(clean, `${clean}="${escapeLabel(value)}"`);
  }
  const printed = [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return printed.length === 0 ? '' : `{${printed.map(([, text]) => text).join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\r?\n/g, '\\n');
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function printValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
