import { FamilyTable } from './family-table.ts';
import { metricNameFor, printLabels } from './names.ts';
import type { PrometheusSample } from './prometheus-sample.ts';

/** The content type of {@link prometheusText}. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The content type of {@link openMetricsText}. */
export const OPENMETRICS_CONTENT_TYPE =
  'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Prints samples in the text format 0.0.4 of Prometheus: families together, each with HELP and TYPE
 * (those of its first sample), no series twice, which a scraper would refuse as a whole.
 */
export function prometheusText(samples: Iterable<PrometheusSample>): string {
  return tableOf(samples).prometheus();
}

/**
 * Prints samples in the text format of OpenMetrics 1.0. A counter is named without its `_total`
 * there, unless a gauge has that name: it is then of unknown type, so that the series keep their
 * names. Totals that are negative or NaN are left out.
 */
export function openMetricsText(samples: Iterable<PrometheusSample>): string {
  return tableOf(samples).openMetrics();
}

function tableOf(samples: Iterable<PrometheusSample>): FamilyTable {
  const table = new FamilyTable();
  for (const sample of samples) addSample(table, sample);
  return table;
}

/** @returns false when there is such a series already */
export function addSample(table: FamilyTable, sample: PrometheusSample): boolean {
  const { help, type, unit, labels, value } = sample;
  const name = metricNameFor(sample.name);
  return table.add({ name, help, type, unit }, printLabels(labels), value);
}
