import { type CaseOutcome, type ConformanceReport, countOutcomes } from './conformance-report.ts';

const MARKS: Readonly<Record<CaseOutcome, string>> = {
  proved: 'ok',
  failed: 'FAILED',
  skipped: 'skipped',
  'not-run': 'not run',
};
const MARK_WIDTH = Math.max(...Object.values(MARKS).map((mark) => mark.length));

/** One line, for example `s3: 61 cases, 58 proved, 3 skipped`. */
export function summaryOf(report: ConformanceReport): string {
  const { proved, failed, skipped, 'not-run': notRun } = countOutcomes(report);
  const parts = [`${report.name}: ${report.cases.length} cases`, `${proved} proved`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (notRun > 0) parts.push(`${notRun} not run`);
  return parts.join(', ');
}

/** What {@link formatReport} shows. */
export interface FormatReportOptions {
  /** Whether the cases that were proved are shown, too. Default true. */
  readonly withProved?: boolean | undefined;
}

/**
 * A report as text: what the subject says of itself, each case with its outcome under its heading, and
 * the {@link summaryOf} as the last line. Ends without a line break.
 */
export function formatReport(report: ConformanceReport, options: FormatReportOptions = {}): string {
  const { withProved = true } = options;
  const lines = [`${report.name}, proved as ${withArticle(report.contract)}`];
  for (const [name, value] of Object.entries(report.capabilities ?? {})) {
    lines.push(`  ${name}: ${String(value)}`);
  }
  let heading = '';
  for (const { group, name, outcome, reason, durationMs } of report.cases) {
    if (outcome === 'proved' && !withProved) continue;
    if (group !== heading) lines.push(group);
    heading = group;
    const tail = reason === undefined ? '' : ` (${firstLineOf(reason)})`;
    const time = outcome === 'proved' || outcome === 'failed' ? `, ${durationMs.toFixed()} ms` : '';
    lines.push(`  ${MARKS[outcome].padEnd(MARK_WIDTH)}  ${name}${time}${tail}`);
  }
  return [...lines, summaryOf(report)].join('\n');
}

/** A report as JSON, with the counts of the outcomes beside the cases. */
export function reportJson(report: ConformanceReport): string {
  const { name, contract, capabilities, cases } = report;
  const { 'not-run': notRun, ...counts } = countOutcomes(report);
  const document = { name, contract, capabilities, counts: { ...counts, notRun }, cases };
  return JSON.stringify(document, undefined, 2);
}

function withArticle(contract: ConformanceReport['contract']): string {
  return contract === 'object store' ? `an ${contract}` : `a ${contract}`;
}

function firstLineOf(text: string): string {
  return text.split('\n')[0] ?? '';
}
