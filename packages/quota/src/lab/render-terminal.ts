import {
  describeConcerns,
  describeScenario,
  drainedText,
  POLICY_WORDS,
} from './describe-report.ts';
import { formatBytes, formatDuration, formatRate } from './format.ts';
import type { LabReport, LabResult } from './simulate-quota.ts';

/** How a report is drawn on a terminal. */
export interface TerminalOptions {
  /** Columns of each chart without its labels, an integer from 10. Default 60. */
  readonly width?: number | undefined;
  /** Rows of each chart, an integer from 2. Default 6. */
  readonly height?: number | undefined;
}

const LABEL_WIDTH = 12;
const BLOCKS = ' ▁▂▃▄▅▆▇█';

/** A report as text: the scenario, a table of the policies, and a chart for each. No colours. */
export function renderTerminal(report: LabReport, options: TerminalOptions = {}): string {
  const width = Math.max(10, Math.trunc(options.width ?? 60));
  const height = Math.max(2, Math.trunc(options.height ?? 6));
  const sections = [
    describeScenario(report),
    table(report),
    describeConcerns(report),
    ...report.results.map((result) => chart(report, result, { width, height })),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

function table({ results, windowMs }: LabReport): readonly string[] {
  const head = [
    'policy',
    'drained after',
    'average',
    'most in 1 s',
    `most in ${formatDuration(windowMs)}`,
    'runs given up',
  ];
  const rows = results.map((result) => [
    result.policy,
    drainedText(result),
    formatRate(result.averageBytesPerSecond),
    formatBytes(result.mostInASecond),
    formatBytes(result.mostInAWindow),
    String(result.refusals),
  ]);
  const widths = head.map((word, column) =>
    Math.max(word.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  '),
  );
}

function chart(
  { scenario, stepMs }: LabReport,
  { policy, points }: LabResult,
  size: { readonly width: number; readonly height: number },
): readonly string[] {
  const { width, height } = size;
  const columns = columnsOf(scenario.points, width);
  const rates = columns.map((indexes) => meanOf(indexes.map((at) => points[at]?.bytesPerSecond)));
  const limits = columns.map((indexes) => points[indexes.at(-1) ?? 0]?.limit);
  const backlogs = columns.map((indexes) => points[indexes.at(-1) ?? 0]?.backlogBytes);
  const finite = limits.filter((limit) => limit !== undefined && limit < 2 ** 63);
  const top = Math.max(1, ...rates.map((rate) => rate ?? 0), ...finite.map((limit) => limit ?? 0));
  const rows = Array.from({ length: height }, (_, row) => {
    const floor = height - 1 - row;
    const cells = rates.map((rate = 0, column) => {
      const limitRow = Math.min(height - 1, Math.floor(((limits[column] ?? 0) / top) * height));
      const isLimited = (limits[column] ?? 2 ** 63) < 2 ** 63;
      return cell({ share: (rate / top) * height - floor, mark: isLimited && limitRow === floor });
    });
    const label = row === 0 ? formatRate(top) : '';
    return `${label.padStart(LABEL_WIDTH)} ┤${cells.join('').trimEnd()}`;
  });
  const most = Math.max(scenario.backlogBytes, ...backlogs.map((backlog) => backlog ?? 0));
  const left = backlogs.map((backlog) => block((backlog ?? 0) / most)).join('');
  const end = formatDuration(stepMs * scenario.points);
  return [
    `${policy}: ${POLICY_WORDS[policy]}`,
    ...rows,
    `${''.padStart(LABEL_WIDTH)} └${'─'.repeat(width)}`,
    `${'backlog'.padStart(LABEL_WIDTH)}  ${left.trimEnd()}`,
    `${''.padStart(LABEL_WIDTH)}  0${end.padStart(width - 1)}`,
  ];
}

/** Which points each column shows. */
function columnsOf(points: number, width: number): readonly (readonly number[])[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * points) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * points) / width));
    return Array.from({ length: to - from }, (_value, index) => from + index);
  });
}

/** The mean of what there is; undefined when there is nothing. */
function meanOf(values: readonly (number | undefined)[]): number | undefined {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return undefined;
  return present.reduce((sum, value) => sum + value, 0) / present.length;
}

/** A row of a column: how much of it is filled (all from 1), and the line of the limit behind. */
function cell({ share, mark }: { readonly share: number; readonly mark: boolean }): string {
  const text = block(share);
  return mark && text === ' ' ? '┄' : text;
}

/** A block that fills a part of its cell, 0 to 1; a little of something is never nothing. */
function block(share: number): string {
  if (!(share > 0)) return ' ';
  return BLOCKS[Math.min(8, Math.max(1, Math.round(share * 8)))] ?? ' ';
}
