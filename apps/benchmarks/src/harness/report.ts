/** One line of a bench's table. */
export interface Row {
  readonly what: string;
  /** Figures of ours and of the peer, as text with units. */
  readonly ours: string;
  readonly peer: string;
  /** Ours against the peer; above 1 is better whatever the measure. */
  readonly ratio: number;
  /** What the ratio should reach; `undefined` where the line is for information. */
  readonly target: number | undefined;
}

/** What a bench prints. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Sentences below the table. */
  readonly notes?: readonly string[] | undefined;
}

const HEADER = ['', 'ours', 'peer', 'ratio', 'aim', ''] as const;

/** Whether a line reaches its aim; one without an aim does. A ratio that is no number does not. */
export function reachesAim(row: Row): boolean {
  return row.target === undefined || row.ratio >= row.target;
}

/** The table as text, columns aligned. @param isJudged whether it says if aims are reached */
export function formatReport(report: Report, isJudged = true): string {
  const table = [[...HEADER], ...report.rows.map((row) => cells(row, isJudged))];
  const widths = HEADER.map((_, column) =>
    Math.max(...table.map((line) => (line[column] ?? '').length)),
  );
  const text = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const notes = (report.notes ?? []).map((note) => `  ${note}`);
  return [report.title, ...text.map((line) => `  ${line}`), ...notes, ''].join('\n');
}

function cells(row: Row, isJudged: boolean): string[] {
  const { what, ours, peer, ratio, target } = row;
  const figures = [what, ours, peer, ratio.toFixed(2)];
  if (target === undefined) return [...figures, '-', ''];
  const verdict = reachesAim(row) ? 'ok' : 'missed';
  return [...figures, `>= ${target.toFixed(2)}`, isJudged ? verdict : ''];
}
