import { printLabels } from './names.ts';

/** What all series of one name have in common. */
export interface FamilyHead {
  /** As Prometheus allows it; that of a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly unit: string | undefined;
}

interface Family {
  readonly head: FamilyHead;
  /** Values by labels as printed. */
  readonly series: Map<string, number>;
}

/** Series by family, in the order in which they came, ready to be printed. */
export class FamilyTable {
  readonly #families = new Map<string, Family>();

  /**
   * Adds a series. Its family has the head of its first series.
   *
   * @param labels as printed by `printLabels`
   * @returns false, and nothing is added, when there is such a series: a scraper would refuse all
   */
  add(head: FamilyHead, labels: string, value: number): boolean {
    let family = this.#families.get(head.name);
    if (family === undefined) {
      family = { head, series: new Map() };
      this.#families.set(head.name, family);
    }
    if (family.series.has(labels)) return false;
    family.series.set(labels, value);
    return true;
  }

  /** The text format 0.0.4 of Prometheus. */
  prometheus(): string {
    const lines: string[] = [];
    for (const [name, { head, series }] of this.#families) {
      if (head.help !== '') lines.push(`# HELP ${name} ${escapeHelp(head.help)}`);
      lines.push(`# TYPE ${name} ${head.type}`);
      for (const [labels, value] of series) lines.push(`${name}${labels} ${printValue(value)}`);
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }

  /** The text format of OpenMetrics 1.0. */
  openMetrics(): string {
    const lines: string[] = [];
    for (const family of this.#families.values()) this.#printOpenMetrics(family, lines);
    lines.push('# EOF');
    return `${lines.join('\n')}\n`;
  }

  #printOpenMetrics({ head, series }: Family, lines: string[]): void {
    const isCounter = head.type === 'counter';
    // Totals are never negative or NaN there; a scraper may refuse the whole text for one.
    const printable = isCounter ? [...series].filter(([, value]) => value >= 0) : [...series];
    if (printable.length === 0) return;
    const { name, type } = this.#openMetricsHead(head);
    lines.push(`# TYPE ${name} ${type}`);
    if (head.unit !== undefined && name.endsWith(`_${head.unit}`)) {
      lines.push(`# UNIT ${name} ${head.unit}`);
    }
    if (head.help !== '') lines.push(`# HELP ${name} ${escapeQuoted(head.help)}`);
    for (const [labels, value] of printable) {
      lines.push(`${head.name}${labels} ${printValue(value)}`);
    }
  }

  /** The family of a counter has the name without its end; where a gauge has that, it stays as it is. */
  #openMetricsHead({ name, type }: FamilyHead): { readonly name: string; readonly type: string } {
    if (type === 'gauge') return { name, type };
    const short = name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
    const isFree = short !== name && !this.#families.has(short);
    return isFree ? { name: short, type } : { name, type: 'unknown' };
  }
}

const TOTAL = '_total';

/** The labels of the series into which those beyond the bound are folded. */
export const OVERFLOW_LABELS: string = printLabels([['overflow', 'true']]);

function escapeHelp(text: string): string {
  return text.toWellFormed().replace(/\\/g, '\\\\').replace(/\r?\n/g, '\\n');
}

function escapeQuoted(text: string): string {
  return escapeHelp(text).replace(/"/g, '\\"');
}

function printValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
